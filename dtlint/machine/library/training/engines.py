"""What does an ignite engine say to the other ranks when it runs? The metrics that are attached to it add up over all
of them at the end of each epoch; functions it was given are followed where they were handed over."""

from __future__ import annotations

from typing import Any

from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.values import NONE, Bound, External, Object, Value

MEASURED = "metrics attached"
ENGINE = "ignite.engine.Engine"


def attached(machine: Machine, call: Invocation) -> Value:
    """`Accuracy().attach(evaluator, "accuracy")`"""
    engine = call.get("engine")
    if isinstance(engine, Object):
        engine.facts[MEASURED] = True
    return NONE


def supervised(machine: Machine, call: Invocation) -> Value:
    """`create_supervised_evaluator(model, metrics={…})`"""
    engine = machine.new(ENGINE, call.mask)
    engine.facts[MEASURED] = call.get("metrics") not in (None, NONE)
    return engine


def runs(machine: Machine, call: Invocation) -> Value | None:
    if not isinstance(call.receiver, Object) or not call.receiver.facts.get(MEASURED):
        return machine.fresh("state")
    return None


def handler_of(machine: Machine, call: Invocation) -> Value:
    """`@engine.on(event)`: the function stays what it was, and the engine has it now."""
    return Bound(External(f"{ENGINE}.handler"), call.receiver)


def handed(machine: Machine, call: Invocation) -> Value:
    from dtlint.machine.library.python import run_later

    run_later.handed_over(machine, call)
    return call.arguments[0] if call.arguments else NONE


MODELS: dict[str, Any] = {
    "ignite_attach": attached,
    "ignite_supervised": supervised,
    "ignite_run": runs,
    "ignite_on": handler_of,
    "ignite_handler": handed,
}
