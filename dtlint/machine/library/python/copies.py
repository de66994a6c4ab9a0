"""What is a thing of its own after `copy.deepcopy(…)`?"""

from __future__ import annotations

from dtlint.machine.contents import written
from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.training.modules import is_module
from dtlint.machine.values import CONTAINERS, Bound, ClassRef, Const, Object, Row, Tuple, Unknown, Value

COPIED = "copied"  # what is done to a copy is not done to what it was taken from
MOST = 200  # things in one


def deep(machine: Machine, call: Invocation) -> Value | None:
    """A model is copied with its layers: who freezes or trains the copy does nothing to the model."""
    given = call.arguments[0] if call.arguments else None
    if isinstance(given, Object | Tuple | Row):
        return part(machine, given, call.mask, {})
    return unknown_copied(machine, given, call.mask) if isinstance(given, Unknown | Bound) else given


def unknown_copied(machine: Machine, given: Unknown | Bound, mask: int) -> Value:
    like = deep_like(machine, given, mask)
    place = (machine.frame.path, machine.current_at)  # who writes into one copy does nothing to the other
    made = machine.unknown(COPIED, token(given), place, cause=given.cause, tags=given.tags, like=like)
    written.copy(machine, given, made, mask)
    return made


def of_settings(machine: Machine, receiver: Value, name: str, call: Invocation) -> Value | None:
    """`options.copy()`, `options.get("workers")`, where something was put into options that were read."""
    if not isinstance(receiver, Unknown) or not written.onto(machine, receiver):
        return None
    if name == "get" and call.arguments and isinstance(key := call.arguments[0], Const) and type(key.value) is str:
        return written.read(machine, receiver, key.value)
    return unknown_copied(machine, receiver, call.mask) if name == "copy" and not call.values else None


def shallow(machine: Machine, call: Invocation) -> Value | None:
    """`copy.copy(options)`: what is written to the one is not written to the other; what they hold is the same."""
    given = call.arguments[0] if call.arguments else None
    if isinstance(given, Object) and is_its_own(machine, given) and not is_module(machine, given):
        return machine.anew(given, call.mask)
    return given


def is_its_own(machine: Machine, thing: Object) -> bool:
    """Is it known what it is made of? A copy of what a library has made is as good as the thing."""
    return thing.kind in CONTAINERS or isinstance(thing.kind, ClassRef) or is_module(machine, thing)


def part(machine: Machine, held: Value, mask: int, made: dict[int, Object]) -> Value:
    if isinstance(held, Object):
        return copied(machine, held, mask, made) if is_its_own(machine, held) and len(made) < MOST else held
    if isinstance(held, Tuple):
        return Tuple(tuple(part(machine, item, mask, made) for item in held.items))
    if isinstance(held, Row):
        return Row(tuple(part(machine, lane, mask, made) for lane in held.lanes), held.cause)
    return held


def deep_like(machine: Machine, given: Value, mask: int) -> Value | None:
    like = getattr(given, "like", None)
    return copied(machine, like, mask, {}) if isinstance(like, Object) and is_module(machine, like) else like


def copied(machine: Machine, thing: Object, mask: int, made: dict[int, Object]) -> Object:
    from dtlint.machine.library.training import parts

    if thing.number in made:
        return made[thing.number]
    copy = made[thing.number] = machine.anew(thing, mask)
    copy.made_if, copy.instead, copy.doubted = thing.made_if, thing.instead, thing.doubted  # so is the copy
    parts.copied(machine, thing, copy)
    for name, held in list(copy.attributes.items()):
        copy.attributes[name] = part(machine, held, mask, made)
    return copy
