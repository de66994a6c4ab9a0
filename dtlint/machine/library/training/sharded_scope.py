"""`with FSDP.state_dict_type(model, …):` says of a model nobody knows that it is sharded, while the block lasts."""

from __future__ import annotations

from typing import Any

from dtlint.machine.core import Machine
from dtlint.machine.library.contexts import Inner
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.training import wrapping
from dtlint.machine.values import NONE, Object, Unknown, Value

SCOPE = "sharded model"


def scope(machine: Machine, call: Invocation) -> Value:
    made = machine.new("<context>", call.mask)
    made.facts.update(context=SCOPE, model=call.get("module"), call=call)
    return made


def run(machine: Machine, manager: Object, mask: int, inner: Inner) -> int:
    model, call = manager.facts["model"], manager.facts["call"]
    if not isinstance(model, Unknown) or model.cause is not None:
        return inner(NONE, mask)
    before = machine.told, machine.remembered
    sharded = wrapping.wrapped(machine, call, model, wrapping.FSDP, True)
    machine.told, machine.remembered = {**machine.told, model.symbol: sharded}, {}
    try:
        return inner(NONE, mask)
    finally:
        machine.told, machine.remembered = before  # what was learnt inside holds inside


MODELS: dict[str, Any] = {"fsdp_state_dict_type": scope}
