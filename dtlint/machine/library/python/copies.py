"""What is a thing of its own after `copy.deepcopy(…)`?"""

from __future__ import annotations

from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.training.modules import is_module
from dtlint.machine.values import CONTAINERS, Bound, Object, Unknown, Value

COPIED = "copied"  # what is done to a copy is not done to what it was taken from


def deep(machine: Machine, call: Invocation) -> Value | None:
    """A model is copied with its layers: who freezes or trains the copy does nothing to the model. Of other things a
    copy is as good as the thing."""
    given = call.arguments[0] if call.arguments else None
    if isinstance(given, Object) and is_module(machine, given):
        return copied(machine, given, call.mask, {})
    if isinstance(given, Unknown | Bound):
        like = deep_like(machine, given, call.mask)
        place = (machine.frame.path, machine.current_at)  # who writes into one copy does nothing to the other
        return machine.unknown(COPIED, token(given), place, cause=given.cause, tags=given.tags, like=like)
    return given


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
        if isinstance(held, Object) and (held.kind in CONTAINERS or is_module(machine, held)):
            copy.attributes[name] = copied(machine, held, mask, made)
    return copy
