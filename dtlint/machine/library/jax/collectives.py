"""What does a collective over a mapped axis do to the log and to the values that pass through it?"""

from __future__ import annotations

from typing import Any

from dtlint.ir import nodes as ir
from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.jax import axes as jax_axes
from dtlint.machine.library.jax import facts as jax_facts
from dtlint.machine.library.jax import flow as jax_flow
from dtlint.machine.library.jax.facts import FIRST_RUN, INSIDE, UNSURE, fact, is_fact, words
from dtlint.machine.library.python.given_away import given_away
from dtlint.machine.values import Const, External, Tuple, Unknown, Value

GRADIENTS = "gradients"  # among what a mapping has noted: gradients are reduced in it
ASKED = 3  # the place of a sum, and the calls that led to it
NAME_ERROR = External("builtins.NameError")
EQUAL = frozenset({"psum", "pmean", "pmax", "pmin", "all_gather", "pbroadcast"})


def collective(machine: Machine, call: Invocation) -> Value:
    jax_flow.started(machine)
    given = call.get("axis_name")
    names = jax_axes.texts(given) or None
    known = names is not None or (isinstance(given, Const) and given.value is not None)
    operand = call.get("x")
    if not bound(machine, call, names):
        names = None  # the call fails, and that is told: nothing behind it is judged
    op = call.row.op
    machine.emit_event(
        "device-collective", op, call.name, call.mask, subject=operand, extra={"axes": names, "call": call}
    )
    mapping = jax_facts.device_mapping(machine)
    inside = on_a_device(machine, names)
    if mapping is not None and not inside:
        mapping.reduced.append(op)
        if operand is not None and words(jax_facts.deep((operand,)), "grad"):
            mapping.noted.add(GRADIENTS)
    if operand is None:
        return machine.fresh(op)
    where = jax_facts.places(machine)[:ASKED]

    def leaf(one: Value) -> Value:
        if op == "psum" and isinstance(one, Const):
            return machine.unknown("axis size", repr(names))
        if op == "pmean" and names:
            jax_flow.meaned_alone(machine, one.tags, names)
        tags = passed(machine, op, one.tags, names, where)
        if inside:
            own = frozenset(tag for tag in one.tags if is_fact(tag, "grad"))
            tags = jax_facts.without(tags, frozenset({"agreed"})) | own
        return Unknown(machine.symbols.fresh(op), one.cause if not known else None, tags)

    return jax_facts.mapped_tree(machine, operand, leaf)


def on_a_device(machine: Machine, names: tuple[str, ...] | None) -> bool:
    """Does it go over the axis of a `vmap` alone? Then it is done on each device, with what this one has."""
    own = {name for one in jax_facts.mappings(machine) if one.kind == "vmap" for name in one.axes or ()}
    others = [one.axes for one in jax_facts.mappings(machine) if one.kind != "vmap"]
    return (
        names is not None
        and own.issuperset(names)
        and not any(axes is None or not set(axes).isdisjoint(names) for axes in others)
    )


def passed(machine: Machine, op: str, tags: Any, names: tuple[str, ...] | None, where: Any) -> Any:
    if op not in EQUAL:
        rest = jax_facts.without(tags, frozenset({"grad", "summed", "over", "mean", "draw", "replica"}))
        return rest | {fact("varies", name) for name in names or ()} | {fact("array")}
    kept: set[Any] = set()
    for tag in tags:
        if not jax_facts.is_jax(tag):
            continue
        if tag[1] in ("varies", "may"):
            if names is not None and tag[2] not in names and tag[2] != "?":
                kept.add(tag)
            elif tag[1] == "varies":
                kept.add(fact("reduced", tag[2]))
        elif tag[1] not in INSIDE or tag[1] in ("arg", "replica"):
            kept.add(tag)
    sums = machine.facts.setdefault("jax sums", {})
    if op == "psum":
        for tag in words(tags, "grad"):
            if any(is_fact(other, "mean") for other in tags):
                sums[tag[2]] = where
                kept.add(fact("summed", tag[2]))
        if one_for_each(machine, tags):
            number = len(sums)
            sums["each", number] = where
            kept.add(fact("each summed", number))
    kept |= {fact("agreed", tag[2]) for tag in words(tags, "grad")}
    if words(tags, "key") or words(tags, "keys"):
        kept.add(fact("made equal"))  # `all_gather(key, axis)[0]`: all devices are meant to draw alike
    if op in ("pmean", "psum"):
        known = machine.facts.get("jax grads", {})
        for tag in words(tags, "over"):
            if known[tag[2]]["mean"] and (names is None or tag[3] in names):
                sums["over", tag[2]] = where
                if op == "pmean":
                    machine.facts.setdefault(jax_facts.MEANED, set()).add(tag[2])
                kept.add(tag)
    kept.add(fact("array"))
    return frozenset(kept)


def one_for_each(machine: Machine, tags: Any) -> bool:
    """Are these numbers of this device's examples, made with parameters that all devices share, and nobody has made a
    mean of them yet? In `shard_map` what differs may as well be the device's part of the weights."""
    mapping = jax_facts.device_mapping(machine)
    return (
        mapping is not None
        and mapping.kind == "pmap"
        and any(is_fact(tag, "varies") for tag in tags)
        and any(is_fact(tag, "replica") for tag in tags)
        and not any(is_fact(tag, word) for tag in tags for word in ("grad", "mean", "key", "keys"))
    )


def bound(machine: Machine, call: Invocation, names: tuple[str, ...] | None) -> bool:
    """Does something around this call bind the axis, as far as is known?"""
    if names is None or given_away(machine) or perhaps_later(machine):
        return True
    enclosing = jax_facts.mappings(machine)
    if any(mapping.axes is None for mapping in enclosing):
        return True
    have = {name for mapping in enclosing for name in mapping.axes or ()}
    for name in names:
        if name not in have and not caught(machine, call.mask):
            shown = sorted(axis for axis in have if not axis.startswith("<"))
            steps = tuple(
                jax_facts.step_at(mapping.where, f"{mapping.kind} binds {described(mapping.axes)}")
                for mapping in enclosing
            )
            jax_facts.note(
                machine,
                "unbound axis",
                call.mask,
                None,
                steps,
                name=name,
                have=tuple(shown),
                enclosed=bool(enclosing),
                compiled=bool(machine.facts.get("jax compiled")),
            )
        if name not in have:
            return False
    return True


def caught(machine: Machine, mask: int) -> bool:
    """`try: axis_frame(axis)` and `except NameError`: who asks so whether an axis is bound goes on in the handler."""
    frame = machine.frame
    if any(catches(machine, state.node, mask) for state in frame.tries):
        frame.left |= mask
        frame.last_exit = ("raise", machine.current_at)
        return True
    return any(catches(machine, state.node, mask) for around in frame.and_callers() for state in around.tries)


def catches(machine: Machine, node: ir.Try, mask: int) -> bool:
    from dtlint.machine.control import caught

    return caught.handler_for(machine, node, NAME_ERROR, mask)[1] is not None


def axis_frame(machine: Machine, call: Invocation) -> Value:
    """What is known of an axis, if something around the call binds it."""
    jax_flow.started(machine)
    bound(machine, call, jax_axes.texts(call.get("axis_name")) or None)
    return machine.fresh("axis frame")


def perhaps_later(machine: Machine) -> bool:
    """Is a module being initialised, and asks something on the way here that may keep the first run away?"""
    return bool(machine.facts.get(FIRST_RUN)) and jax_facts.questions(machine) > machine.facts[UNSURE]


def described(axes: tuple[str, ...] | None) -> str:
    named = [repr(axis) for axis in axes or () if not axis.startswith("<")]
    return ", ".join(named) or "no name"


def axis_index(machine: Machine, call: Invocation) -> Value:
    jax_flow.started(machine)
    names = jax_axes.texts(call.get("axis_name") or (call.arguments[0] if call.arguments else None))
    if not bound(machine, call, names or None):  # the call fails, and that is told: take it as meant
        around = {name for mapping in jax_facts.mappings(machine) for name in mapping.axes or ()}
        names = tuple(sorted(around))
    return machine.unknown("axis index", *names, tags=frozenset(fact("varies", name) for name in names or ("?",)))


def axis_size(machine: Machine, call: Invocation) -> Value:
    return machine.unknown("axis size", repr(jax_axes.texts(call.get("axis_name"))))


def cast(machine: Machine, call: Invocation) -> Value | None:
    """`pcast(x, axis, to="varying")`: the same numbers, and each device differentiates by its own."""
    given = call.get("x")
    if given is None:
        return None
    return jax_facts.mapped_tree(machine, given, lambda leaf: jax_facts.with_facts(machine, leaf, [fact("own copy")]))


def reduced_now_and_then(machine: Machine, operands: tuple[Value, ...]) -> None:
    """Do all devices average parameters in some steps, when each has moved its own by gradients of its own? What else
    is made of such gradients, like the moments of the optimizer, is meant to be each device's, too."""
    mapping = jax_facts.device_mapping(machine)
    known = machine.facts.get("jax grads", {})
    if mapping is None:
        return
    for leaf in jax_facts.leaves(Tuple(operands)):
        arguments = {tag for tag in leaf.tags if is_fact(tag, "arg")}
        grads = (tag for tag in words(leaf.tags, "grad") if known[tag[2]]["args"] & arguments)
        mapping.noted.update(grads)


MODELS: dict[str, Any] = {
    "jax_collective": collective,
    "jax_psum": collective,
    "jax_axis_frame": axis_frame,
    "jax_axis_index": axis_index,
    "jax_axis_size": axis_size,
    "jax_pcast": cast,
}
