"""What does an ignite engine do when it runs? It calls its function with every batch. The metrics that are attached to
it add up over all ranks at the end of each epoch; handlers are followed where they were handed over."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.logs import Decision, Loop
from dtlint.machine.values import NONE, Bound, External, FunctionRef, Object, Value

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
    turn(machine, call)
    if not isinstance(call.receiver, Object) or not call.receiver.facts.get(MEASURED):
        return machine.fresh("state")
    return None


def turn(machine: Machine, call: Invocation) -> None:
    """`Engine(step).run(loader)`: `step(engine, batch)` for every batch, one loop in the log."""
    from dtlint.machine.functions import calls
    from dtlint.machine.library.feeding import data

    engine, given = call.receiver, call.get("data")
    made = engine.facts.get("call") if isinstance(engine, Object) else None
    function = made.get("process_function") if isinstance(made, Invocation) else None
    if engine is None or function is None:
        return
    frame = machine.frame
    text = "every batch that the engine is given"
    decision = Decision("loop", frame.path, machine.current_at, text, None, call.mask, call.mask, frame.scope)
    loop = Loop(decision, call.mask, frame.guards, None, None, given, "callback")
    first, loop.objects = machine.symbols.count, machine.objects
    sinks, machine.sinks = machine.sinks, [(loop.body, call.mask)]
    try:
        batch = data.element(machine, given, call.mask) if isinstance(given, Object) else None
        calls.call_value(machine, function, (engine, batch or machine.fresh("batch")), (), call.mask)
    finally:
        machine.sinks = sinks
        loop.born = (first, machine.symbols.count)
        machine.emit(loop)


def handler_of(machine: Machine, call: Invocation) -> Value:
    """`@engine.on(event)`: the function stays what it was, and the engine has it now."""
    return Bound(External(f"{ENGINE}.handler"), call.receiver, call.arguments)


def handed(machine: Machine, call: Invocation) -> Value:
    from dtlint.machine.library.python import run_later

    event = next((value for value in call.arguments if of_failures(call, value)), None)
    if event is None:
        run_later.handed_over(machine, call)
    else:
        for value in call.arguments:
            if run_later.project_function(machine, value):
                run_later.later(machine, value, call.mask, "exit", f"`{last_word(event)}`", "exception")
    return call.arguments[-1] if call.arguments else NONE


def of_failures(call: Invocation, value: Value) -> bool:
    """Is this the event of a rank on which something was raised? Handlers of the others run on all ranks in step."""
    return isinstance(value, External) and last_word(value) in call.row.extra.get("failing", ())


def last_word(event: Value) -> str:
    return event.name.rpartition(".")[2] if isinstance(event, External) else ""


def added(machine: Machine, call: Invocation) -> Value:
    """`engine.add_event_handler(Events.EPOCH_COMPLETED, thing)`: a function, or an object that is called like one."""
    handed(machine, replace(call, arguments=tuple(as_function(machine, value) for value in call.arguments)))
    return NONE


def as_function(machine: Machine, value: Value) -> Value:
    from dtlint.machine.library.python import run_later

    owned = run_later.called(machine, value)
    return Bound(owned, value) if owned is not value and isinstance(owned, FunctionRef) else value


MODELS: dict[str, Any] = {
    "ignite_attach": attached,
    "ignite_supervised": supervised,
    "ignite_run": runs,
    "ignite_on": handler_of,
    "ignite_handler": handed,
    "ignite_added": added,
}
