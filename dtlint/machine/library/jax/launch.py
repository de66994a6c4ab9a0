"""Which programs do all hosts have to start together?

A program over arrays that are spread over all hosts, or over the devices of all hosts with a reduction between them, is
one collective operation: every host has to start it, in the same order as the others.
"""

from __future__ import annotations

from dtlint.ir.text import render
from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.jax import axes as jax_axes
from dtlint.machine.library.jax import facts as jax_facts
from dtlint.machine.library.jax import outputs as jax_outputs
from dtlint.machine.library.jax.collectives import GRADIENTS
from dtlint.machine.library.jax.facts import words
from dtlint.machine.values import NONE, Object, Value

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


def start(machine: Machine, api: str, call: Invocation) -> None:
    inside = machine.facts.get("jax compiled") or jax_facts.mappings(machine)
    if machine.facts.get("jax hosts") and not inside:
        called = render(call.node.func).rpartition(".")[2] if call.node is not None else ""
        extra = {"call": call, "program": called if called.isidentifier() else ""}
        machine.emit_event(
            "collective", "launch", api, call.mask, group=machine.world_group, implicit=True, extra=extra
        )
