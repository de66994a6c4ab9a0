"""Whose are the gradients after a backward pass that no wrapper reduces? Each rank's own, until they are added up."""

from __future__ import annotations

from typing import Any

from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.library.computing import marks
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.training import gradient_parts, parameters
from dtlint.machine.library.training.modules import is_module
from dtlint.machine.library.training.stepping import PLAIN, attribute_of
from dtlint.machine.values import BY_RANK, THERE, Object, Unknown, Value

OWN = "own gradients"
OF_OWN_NUMBERS = ("data", "random", *BY_RANK)  # why a loss differs: of a rank, what was drawn with a seed made of it
GRADIENT = ("gradient",)  # a parameter's `.grad`, and what is computed from it


def passed_back(machine: Machine, loss: Value | None) -> None:
    """`loss.backward()`, and no wrapped model has a part in the loss."""
    if loss is None or loss.cause is None or loss.cause.kind not in OF_OWN_NUMBERS:
        return
    if any(isinstance(tag, tuple) and tag[0] == PLAIN for tag in loss.tags):
        machine.facts[OWN] = loss.cause.then(machine.step("each rank has gradients of its own until they are reduced"))


def gradient_of(machine: Machine, parameter: Unknown) -> Unknown | None:
    """`parameter.grad` after a backward that nobody reduced."""
    cause = machine.facts.get(OWN)
    if cause is None:
        return None
    # that it exists follows from the model, which is the same on all ranks
    tags = parameter.tags | {THERE, GRADIENT}
    return machine.unknown("attr", parameter.symbol, "grad", cause=cause, tags=tags)


def total_norm(machine: Machine, call: Invocation) -> Value | None:
    """`clip_grad_norm_(model.parameters(), 1.0)`: of parts, or of gradients that are not reduced, each rank gets a
    norm of its own. Where the model is sharded the call itself agrees on one."""
    part = gradient_parts.total_norm(machine, call)
    cause = machine.facts.get(OWN)
    if part is not None or cause is None or machine.facts.get("sharded"):
        return part
    return machine.unknown(call.name, *map(token, call.values), cause=cause, tags=frozenset({GRADIENT}))


def handed_on(machine: Machine, arguments: tuple[Value, ...], mask: int) -> None:
    """Whatever nobody knows may reduce the gradients it is given, or those of a model, if that was not done yet."""
    due = OWN in machine.facts and any(has_some(machine, value) for value in arguments)
    if due or any(map(is_gradient, arguments)):
        machine.facts.pop(OWN, None)
        machine.emit_event("record", "reduce-gradients", "", mask)


def is_gradient(value: Value) -> bool:
    """A gradient itself, or a list of what was made of them one by one; no number that was computed from it."""
    if isinstance(value, Object) and value.kind == "list":
        return are_gradients((value,))
    return isinstance(value, Unknown) and attribute_of(value.symbol) == "grad"


def made_of_gradients(machine: Machine, value: Value | None) -> bool:
    """What has gone through lists that nobody can count still says whence it comes."""
    if value is None or GRADIENT in value.tags:
        return value is not None
    own, trail = machine.facts.get(OWN), value.cause.trail if value.cause is not None else None
    while own is not None and trail is not None and trail is not own.trail:
        trail = trail.before
    return own is not None and trail is not None


def has_some(machine: Machine, value: Value) -> bool:
    return bool(parameters.owners_of(value)) or is_module(machine, value)


def used(machine: Machine) -> None:
    """The optimizer has made its step: what nobody has reduced until now was not meant to be."""
    machine.facts.pop(OWN, None)


def reduced(machine: Machine, values: tuple[Value, ...]) -> None:
    """A collective on gradients, or on what was made of all of them: from now on they are those of all ranks."""
    if OWN in machine.facts and are_gradients(values):
        machine.facts.pop(OWN)


def are_gradients(values: tuple[Value, ...]) -> bool:
    return GRADIENT in marks.deep_tags(values)


MODELS: dict[str, Any] = {"total_norm": total_norm}
