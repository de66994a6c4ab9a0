"""What comes out of a mapped function, and is it the same on all devices where it has to be?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.machine.contents import containers
from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.jax import axes as jax_axes
from dtlint.machine.library.jax import facts as jax_facts
from dtlint.machine.library.jax.collectives import GRADIENTS
from dtlint.machine.library.jax.facts import INSIDE, Mapping, fact, has, is_fact, words
from dtlint.machine.logs import Site
from dtlint.machine.values import NONE, Const, FunctionRef, Object, Tuple, Unknown, Value


def leave(
    machine: Machine,
    thing: Object,
    call: Invocation,
    mapping: Mapping,
    result: Value,
    records: list[tuple[int, Value]],
    here: Site,
) -> Value:
    outputs = result.items if isinstance(result, Tuple) else (result,)
    machine.objects += 1
    number = machine.objects
    machine.facts.setdefault("jax origins", {})[number] = (machine.frame.path, machine.frame.scope)
    where = returned_at(thing.facts["function"]) or here
    made = []
    told = []
    for index, output in enumerate(outputs):
        found = jax_facts.deep((output,))
        judge(machine, mapping, call, jax_facts.certain((output,)), where, here)
        parts = () if isinstance(output, Unknown) else jax_facts.paths(output)
        own = frozenset(path for path, leaf in parts if differs(leaf.tags))
        told.append((index, [drift(leaf) for leaf in jax_facts.leaves(output)], own))
        if (
            mapping.kind == "shard_map"
            and mapping.checked is False
            and (differs(found) or own_gradients(machine, output, mapping))
            and replicated_spec(thing, index)
        ):
            steps = (jax_facts.step_at(where, "and is returned here"),)
            jax_facts.note(machine, "varying output", call.mask, mapping.where, steps, index=index)
        made.append(out(machine, output, mapping, thing, number, index, starts_apart(records, outputs)))
    jax_facts.note(
        machine,
        "mapped call",
        call.mask,
        where,
        (jax_facts.step_at(mapping.where, f"mapped by {mapping.kind} here"),),
        number=number,
        arguments=records,
        outputs=told,
        reduced=bool(mapping.reduced),
    )
    return Tuple(tuple(made)) if isinstance(result, Tuple) else made[0]


def starts_apart(records: list[tuple[int, Value]], outputs: tuple[Value, ...]) -> bool:
    """Does each device make something of its own, and gets no copy of anything? It is one of a population: that some
    numbers of it are the same everywhere makes no copies of it."""
    given = [leaf for _, value in records for leaf in jax_facts.leaves(value)]
    found = jax_facts.deep(outputs)
    copied = any(has(leaf, "replicated") or has(leaf, "host tree") or not isinstance(leaf, Unknown) for leaf in given)
    return bool(given) and not copied and bool(words(found, "varies") or words(found, "may"))


def differs(found: Iterable[Any]) -> bool:
    """Does it vary between the devices? Of what is made of gradients other questions are asked."""
    seen = {tag[1] for tag in found if jax_facts.is_jax(tag)}
    return "varies" in seen and seen.isdisjoint(("grad", "agreed"))


def own_gradients(machine: Machine, output: Value, mapping: Mapping) -> bool:
    """Are there gradients of this device's part in it, of which nothing else has been told?"""
    known = machine.facts.get("jax grads", {})
    return any(
        words(leaf.tags, "varies") and not words(leaf.tags, "agreed") and not mapping.noted.issuperset(grads)
        for leaf in jax_facts.leaves(output)
        if (grads := [tag for tag in words(leaf.tags, "grad") if not all_put_back(known[tag[2]])])
    )


def drift(leaf: Value) -> tuple[bool, frozenset[int]]:
    """Does this part of an output vary between devices, and which replicated arguments is it made of?"""
    found = jax_facts.deep((leaf,))
    return differs(found), frozenset(tag[2] for tag in words(found, "replica"))


def returned_at(function: Value) -> Site | None:
    """The line of the last top-level `return`."""
    *_, function = jax_facts.layers(function)
    if isinstance(function, FunctionRef):
        node = function.node
        if isinstance(node, ir.Function):
            for statement in reversed(node.body):
                if isinstance(statement, ir.Return):
                    return (function.path, statement.at, node.qualname)
        elif node.at is not None:
            return (function.path, node.at, "<lambda>")
    return None


def replicated_spec(thing: Object, index: int) -> bool:
    return out_axes(thing, index) == ()


def out_axes(thing: Object, index: int) -> tuple[str, ...] | None:
    """The axes over which `out_specs` puts the parts of an output together; None where nobody knows."""
    given = jax_axes.made_by(thing).get("out_specs")
    if isinstance(given, Tuple):
        given = given.items[index] if index < len(given.items) else None
    return jax_axes.spec_axes(given) if isinstance(given, Object) and given.kind == jax_axes.SPEC else None


def judge(
    machine: Machine,
    mapping: Mapping,
    call: Invocation,
    found: set[Any],
    where: Site,
    here: Site,
) -> None:
    """Parameters that leave with what only this device knows, or with a sum where a mean is meant."""
    known = machine.facts.get("jax grads", {})
    replicas = {tag[2] for tag in words(found, "replica")}
    arguments = {tag for tag in found if is_fact(tag, "arg")}
    mapped = jax_facts.step_at(mapping.where, f"mapped over the devices by {mapping.kind}")
    called = jax_facts.step_at(here, "called here")
    for number in sorted({tag[2] for word in ("grad", "partly") for tag in words(found, word)}):
        info, tag = known[number], fact("grad", number)
        own = info["args"] & arguments
        if not own or tag in mapping.noted or all_put_back(info):
            continue
        shown = info["certain"] and bool(replicas & {one[2] for one in own})
        # parameters come first: what pushes walkers uphill is a gradient by the argument behind them
        if shown or (mapping.reduced and GRADIENTS not in mapping.noted and info["first"]):
            mapping.noted.add(tag)
            steps = (
                jax_facts.step_at(info["where"], "gradients of this device's part of the batch"),
                jax_facts.step_at(where, "the parameters updated with them leave the mapped function"),
                mapped,
                called,
            )
            jax_facts.note(machine, "unreduced update", call.mask, where, steps)
    for tag in words(found, "sum meaned"):
        place = machine.facts["jax sums"]["each", tag[2]]
        if tag not in mapping.noted:
            mapping.noted.add(tag)
            mean = jax_facts.step_at(where, "its mean over this device's examples is returned here")
            jax_facts.note(machine, "sum meaned", call.mask, place[0], (mean, mapped))
    for word in ("summed", "over"):
        for tag in words(found, word):
            info = known.get(tag[2])
            sums = machine.facts.get("jax sums", {}).get(tag[2] if word == "summed" else ("over", tag[2]))
            # nobody who wants the sum asks for a mean of it, whatever becomes of it outside
            told = word == "over" and tag[2] in machine.facts.get(jax_facts.MEANED, ())
            if info is None or sums is None or tag in mapping.noted or not (told or info["args"] & arguments):
                continue
            mapping.noted.add(tag)
            summed = jax_facts.step_at(info["where"], "gradients of a mean over this device's batch")
            what = "summed" if word == "summed" else "summed twice"
            asked = (jax_facts.step_at(outer, "asks for the sum") for outer in sums[1:] if outer[2] != mapping.where[2])
            jax_facts.note(machine, what, call.mask, sums[0], (summed, *asked, mapped))


def put_back(machine: Machine, container: Value, index: Value, value: Value) -> None:
    """`grads["encoder"] = pmean(grads["encoder"], axis)`: a part of these gradients has been agreed on."""
    if machine.flow is None or not isinstance(container, Unknown):
        return
    agreed = {tag[2] for tag in words(jax_facts.deep((value,)), "agreed")}
    for tag in words(container.tags, "grad"):
        if tag[2] in agreed:
            back = machine.facts["jax grads"][tag[2]].setdefault("put back", set())
            back.add(index.value if isinstance(index, Const) else ...)


def all_put_back(info: dict[str, Any]) -> bool:
    """Have all parts been agreed on, one by one, as far as is known which there are?"""
    back = info.get("put back", set())
    return bool(back) and (... in back or info["parts"] <= back)


def out(
    machine: Machine, value: Value, mapping: Mapping, thing: Object, number: int, index: int, apart: bool = False
) -> Value:
    """What the caller gets."""
    broadcast = mapping.kind == "shard_map" or one_for_all(thing, index)
    spread = out_axes(thing, index) if mapping.kind == "shard_map" else ()
    if jax_axes.of_this_host(jax_axes.made_by(thing).get("mesh")):
        spread = ()

    def leaf(one: Value) -> Value:
        if not isinstance(one, Unknown):
            return one
        alike = not has(one, "varies") and not has(one, "may")
        outer = jax_facts.mappings(machine)
        kept = set(jax_facts.without(one.tags, INSIDE if not outer else INSIDE - {"varies", "may", "arg", "replica"}))
        symbol = one.symbol
        if has(one, "key"):
            if symbol.key[0] == "item" and len(symbol.key) == 2:
                symbol = symbol.key[1]
            if not broadcast:
                kept = {tag for tag in kept if not is_fact(tag, "key")}
                kept.add(fact("keys", words(one.tags, "key")[0][2], "local", None, None))
        else:
            symbol = machine.symbols.of("mapped", symbol, ("object", number))  # a buffer of its own
        kept |= {fact("array"), fact("output", number, index), *([fact("global", spread)] if spread else [])}
        kept = set(jax_facts.without(kept, frozenset({"host tree", "state of", "plain"})))
        if not broadcast and (alike or has(one, "varies")):
            kept.add(fact("device axis", "local", None))
            if apart and not alike:
                kept.add(fact("begun apart"))  # by each device for itself: what an environment is in
            if alike and not apart:
                kept.add(fact("replicated"))
        return Unknown(symbol, one.cause, frozenset(kept), one.like)

    return jax_facts.mapped_tree(machine, value, leaf)


def one_for_all(thing: Object, index: int) -> bool:
    """`out_axes=(0, None)`: an output that comes out once, and not as each device has it."""
    given = jax_axes.made_by(thing).get("out_axes")
    if isinstance(given, Tuple):
        given = given.items[index] if index < len(given.items) else None
    return given == NONE


# --- jit over global arrays ------------------------------------------------------------------------------------


def placed(machine: Machine, thing: Object, result: Value, call: Invocation) -> Value:
    """The result of a compiled function: arrays, laid out as `out_shardings` says."""
    given = jax_axes.made_by(thing).get("out_shardings")

    def lay(value: Value, sharding: Value | None) -> Value:
        if isinstance(sharding, Tuple) and isinstance(value, Tuple) and len(sharding.items) == len(value.items):
            return Tuple(tuple(lay(one, two) for one, two in zip(value.items, sharding.items, strict=True)))
        if containers.is_closed_table(sharding) and containers.is_closed_table(value):
            of = sharding.attributes
            return containers.mapped_items(value, lambda name, held: lay(held, of.get(name)))
        axes = sharded_over(sharding)
        if axes == () and jax_facts.deep((value,)):
            machine.emit_event("record", "replicate", "jax.jit", call.mask, subject=value)
        add = [fact("array"), *([fact("global", tuple(axes))] if axes else [])]
        # without a sharding the compiler leaves rows where they are
        drop = frozenset() if sharding is None or sharding == NONE else frozenset({"global"})
        return jax_facts.mapped_tree(machine, value, lambda leaf: jax_facts.with_facts(machine, leaf, add, drop))

    return lay(result, given)


def sharded_over(sharding: Value | None) -> tuple[str, ...] | None:
    """The axes a NamedSharding or PartitionSpec splits an array over the hosts; () for replicated, None when nobody
    knows."""
    if isinstance(sharding, Object) and jax_axes.of_this_host(sharding.attributes.get("mesh")):
        return None
    spec = spec_of(sharding)
    return jax_axes.spec_axes(spec) if spec is not None else None


def spec_of(sharding: Value | None) -> Object | None:
    if isinstance(sharding, Object) and sharding.kind == jax_axes.NAMED:
        sharding = sharding.attributes.get("spec")
    return sharding if isinstance(sharding, Object) and sharding.kind == jax_axes.SPEC else None


def splits_rows(sharding: Value | None) -> bool:
    """Is the first dimension of an array divided between devices?"""
    spec = spec_of(sharding)
    call = spec.facts.get("call") if spec is not None else None
    return call is not None and bool(call.arguments) and bool(jax_axes.texts(call.arguments[0]))
