"""Whose gradients are the parts that this rank holds of them?

FSDP divides the parameters of a model. The first kind keeps this rank's part in `parameter.grad`; the second keeps a
tensor there that knows of the other parts, unless it is asked for the local one. Everything computed from a part is
marked until a collective agrees on it.
"""

from __future__ import annotations

from typing import Any

from dtlint.machine.contents.opaque import opaque
from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.library.computing import marks, provenance
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.training import parameters
from dtlint.machine.values import Object, Symbol, Value

DIVIDED, PART = "divided parameters", "part of a gradient"


def divide(machine: Machine, model: Object, how: str) -> None:
    """From here on each rank holds a part of the parameters of this model, whatever becomes of their list."""
    machine.facts.setdefault(DIVIDED, {})[model.number] = how
    machine.symbols.lasting.update(machine.symbols.of(name, token(model)) for name in parameters.GIVEN_BY)


def of_gradient(machine: Machine, parameter: Symbol) -> frozenset[Any]:
    """The marks of `parameter.grad`."""
    divided = machine.facts.get(DIVIDED, {})
    owners = provenance.modules_of(parameter) if divided else ()
    return frozenset((divided[number], number) for number in owners if number in divided)


def taken_out(machine: Machine, receiver: Value, name: str, call: Invocation) -> Value | None:
    """`gradient.to_local()`"""
    whole = provenance.marks(receiver, DIVIDED, 0) if name == "to_local" else []
    if not whole:
        return None
    return provenance.marked(opaque(machine, name, receiver), *((PART, *mark[1:]) for mark in whole))


def holds_part(machine: Machine, values: tuple[Value, ...]) -> bool:
    return DIVIDED in machine.facts and any(
        isinstance(tag, tuple) and tag[0] == PART for tag in marks.deep_tags(values)
    )


def total_norm(machine: Machine, call: Invocation) -> Value | None:
    """`get_total_norm(gradients)` of this rank's parts is another number on each rank; of tensors that know of the
    others' it is one for all."""
    if not holds_part(machine, call.values):
        return None
    owners = [tag for tag in marks.deep_tags(call.values) if isinstance(tag, tuple) and tag[0] == PART]
    return provenance.marked(opaque(machine, call.name, *call.values), *owners)
