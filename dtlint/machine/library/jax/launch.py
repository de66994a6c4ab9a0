"""Which programs do all hosts have to start together?

A program over arrays that are spread over all hosts, or over the devices of all hosts with a reduction between them, is
one collective operation: every host has to start it, in the same order as the others.
"""

from __future__ import annotations

from typing import Any

from dtlint.ir.text import render
from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.jax import axes as jax_axes
from dtlint.machine.library.jax import facts as jax_facts
from dtlint.machine.library.jax import outputs as jax_outputs
from dtlint.machine.library.jax.collectives import GRADIENTS
from dtlint.machine.library.jax.facts import words
from dtlint.machine.values import NONE, Const, Object, Tuple, Unknown, Value

PUT_TOGETHER = "global array"  # what its parts of all hosts are made into
SHARDINGS = ("in_shardings", "out_shardings", "in_axis_resources", "out_axis_resources")  # as pjit called them once


def mapped(machine: Machine, thing: Object, mapping: jax_facts.Mapping, call: Invocation) -> None:
    """`pmap` without `devices=` runs on the devices of all hosts; a reduction in it waits for all of them."""
    made: Invocation = thing.facts["call"]
    if mapping.kind == "pmap" and mapping.reduced and made.get("devices") in (None, NONE):
        start(machine, "jax.pmap", call)
    if mapping.kind == "pmap" and machine.facts.get("jax hosts"):
        extra = {"given": call.arguments, "learns": GRADIENTS in mapping.noted}
        machine.emit_event("record", "host-step", "jax.pmap", call.mask, extra=extra)


def jitted(machine: Machine, thing: Object, call: Invocation) -> None:
    given = jax_facts.deep((*call.arguments, *(value for _, value in call.keywords)))
    if any(tag[2] for tag in words(given, "global")) or spreads(machine, thing):
        start(machine, "jax.jit", call)


def spreads(machine: Machine, thing: Object) -> bool:
    """`jit(step, in_shardings=NamedSharding(mesh, P("data")))`, over a mesh of the devices of all hosts."""
    around = machine.facts.get("jax mesh")
    given = (jax_axes.option(thing, name) for name in SHARDINGS)
    return any(
        bool(jax_outputs.sharded_over(one)) and jax_axes.of_all_hosts(mesh_of(one) or around)
        for shardings in given
        if shardings is not None
        for one in jax_facts.leaves(shardings)
    )


def mesh_of(sharding: Value) -> Value | None:
    return sharding.attributes.get("mesh") if isinstance(sharding, Object) else None


def row_taken(machine: Machine, array: Value, index: Value, row: Value, mask: int) -> Value:
    """`batch[0]`, as it is written outside of any program, is one of its own: hosts that start it together have the
    whole row, each of them. What was put together is surely an array; anything else may be a tree, with a first
    part."""
    first = index.items[0] if isinstance(index, Tuple) and index.items else index
    if not isinstance(array, Unknown) or not any(tag[2] for tag in words(array.tags, "global")):
        return row
    if not isinstance(first, Const) or type(first.value) is not int:
        return row
    if array.symbol.key[0] == PUT_TOGETHER:
        begin(machine, "jax.Array.__getitem__", mask, {"program": "indexing"})
    elif mask != machine.world.full:
        return row
    return jax_facts.mapped_tree(
        machine, row, lambda leaf: jax_facts.with_facts(machine, leaf, (), frozenset({"global"}))
    )


def start(machine: Machine, api: str, call: Invocation) -> None:
    called = render(call.node.func).rpartition(".")[2] if call.node is not None else ""
    begin(machine, api, call.mask, {"call": call, "program": called if called.isidentifier() else ""})


def begin(machine: Machine, api: str, mask: int, extra: dict[str, Any]) -> None:
    inside = machine.facts.get("jax compiled") or jax_facts.mappings(machine)
    if machine.facts.get("jax hosts") and not inside:
        machine.emit_event("collective", "launch", api, mask, group=machine.world_group, implicit=True, extra=extra)
