"""What does a framework's loop ask when a hook is through? `trainer.should_stop`, `control.should_evaluate`.

Every rank runs that loop, and each asks the thing it holds itself: those that were not told to stop go on with the next
step and wait in it for those that were.
"""

from __future__ import annotations

from dtlint.ir import nodes as ir
from dtlint.machine import statements
from dtlint.machine.core import Machine
from dtlint.machine.frames import Frame
from dtlint.machine.library.steered import STEERED
from dtlint.machine.values import Value


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


def asked(machine: Machine, value: Value, text: str, at: tuple[int, int, int, int]) -> int:
    """`if trainer.should_stop: return`, written where it was told."""

    def leave(lanes: int) -> int:
        return machine.run((ir.Return(None, at),), lanes)

    def stay(lanes: int) -> int:
        return lanes

    return statements.branch(machine, value, machine.world.full, at, lambda: text, leave, stay)
