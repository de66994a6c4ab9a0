"""What does a framework's loop ask when a hook is through? `trainer.should_stop`, `control.should_evaluate`, and
whether a step gave a loss at all.

Every rank runs that loop, and each asks the thing it holds itself: those that were not told to stop go on with the next
step and wait in it for those that were, and those that have a loss wait for the gradients of those that have none.
"""

from __future__ import annotations

from dtlint.ir import nodes as ir
from dtlint.machine.contents import operators
from dtlint.machine.contents.presence import lacking
from dtlint.machine.control import statements
from dtlint.machine.core import Machine
from dtlint.machine.library.training.steered import STEERED
from dtlint.machine.names.frames import Frame
from dtlint.machine.values import FALSE, NONE, FunctionRef, Object, Row, Unknown, Value

BY_HAND = "automatic_optimization"  # False: the step itself does what the loop does otherwise


def goes_on_after(machine: Machine, mask: int) -> None:
    """The same for a hook that a script has come to by way of a trainer, and what follows in the script."""
    if mask != machine.world.full or STEERED not in machine.facts:
        return
    frame, before, sinks = machine.frame, machine.current_at, machine.sinks
    goes_on(machine)
    machine.frame, machine.current_at, machine.sinks = frame, before, sinks


def goes_on(machine: Machine) -> None:
    """The loop's next step, for those ranks that were not told otherwise."""
    full = machine.world.full
    for (_, name), (thing, step, told, at) in machine.facts.pop(STEERED, {}).items():
        value = machine.get(thing, name)
        if value is None or value.cause is None:
            continue
        machine.frame = Frame(told.path, told.scope, told.globals, told.closure, None, full)
        machine.current_at = at
        staying = asked(machine, value, f"{thing.kind.rpartition('.')[2]}.{name}", at)
        op = step.rpartition(".")[2]
        machine.emit_event("collective", op, step, staying, group=machine.world_group, implicit=True)


def learns(machine: Machine, receiver: Object, function: FunctionRef, answer: Value, mask: int) -> None:
    """The loop differentiates what a step gave, and goes on with the next batch where that is None."""
    lanes = answer.lanes if isinstance(answer, Row) else (answer,)
    missing = any(lane == NONE or (isinstance(lane, Unknown) and lacking(lane.symbol)) for lane in lanes)
    nothing = operators.comparison(machine, "is", answer, NONE, mask)
    if not missing or nothing.cause is None or receiver.attributes.get(BY_HAND) == FALSE:
        return
    frame, before = machine.frame, machine.current_at
    decided = nothing.cause.steps()[-1]
    at = (decided.line, 1, decided.line, 1)
    machine.frame = Frame(decided.path, function.node.qualname, frame.globals, function.closure, None, mask)
    machine.current_at = at
    text = f"{function.name}() is None"
    staying = asked(machine, nothing, text, at)
    machine.emit_event("collective", "backward", "Tensor.backward", staying, group=machine.world_group, implicit=True)
    machine.frame, machine.current_at = frame, before


def asked(machine: Machine, value: Value, text: str, at: tuple[int, int, int, int]) -> int:
    """`if trainer.should_stop: return`, written where it was told."""

    def leave(lanes: int) -> int:
        return machine.run((ir.Return(None, at),), lanes)

    def stay(lanes: int) -> int:
        return lanes

    return statements.branch(machine, value, machine.world.full, at, lambda: text, leave, stay)
