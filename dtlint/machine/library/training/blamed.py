"""Who is to blame where a module decides on what it was given: its caller, not the module."""

from __future__ import annotations

from dtlint.ir import nodes as ir
from dtlint.machine.core import Machine
from dtlint.machine.library.training.modules import is_module
from dtlint.machine.logs import Decision
from dtlint.machine.names.frames import Frame
from dtlint.machine.values import Object

Where = tuple[str, tuple[int, int, int, int]]


def who_gave(machine: Machine, decision: Decision) -> Where | None:
    """The call that made the module, of what its constructor decides on; or that ran it, of what its `forward` does."""
    frame = machine.frame
    whole = frame.receiver
    if isinstance(whole, Object) and whole.at and is_maker(frame, decision) and not known_here(frame, decision, None):
        return whole.path, whole.at
    deciding: Frame | None = frame
    while deciding is not None and (deciding.path, deciding.scope) != (decision.path, decision.function):
        deciding = deciding.caller
    return who_ran(machine, deciding, decision) if deciding is not None else None


def is_maker(frame: Frame, decision: Decision) -> bool:
    node = frame.function.node if frame.function is not None else None
    return isinstance(node, ir.Function) and node.name == "__init__" and decision.function == node.qualname


def who_ran(machine: Machine, frame: Frame, decision: Decision) -> Where | None:
    """Modules hand it on to each other: the first call from outside."""
    found, until = None, decision.at[0]
    while frame.caller is not None and frame.called_at is not None and runs_module(machine, frame):
        if known_here(frame, decision, until):
            break
        found, until = (frame.caller.path, frame.called_at), frame.called_at[0]
        frame = frame.caller
    return found


def runs_module(machine: Machine, frame: Frame) -> bool:
    node = frame.function.node if frame.function is not None else None
    made = isinstance(node, ir.Function) and node.name == "__init__"
    return frame.receiver is not None and is_module(machine, frame.receiver) and not made


def known_here(frame: Frame, decision: Decision, until: int | None) -> bool:
    """Does the trail of what is decided on have a step in this function?"""
    node = frame.function.node if frame.function is not None else None
    first = ((node.at if isinstance(node, ir.Function) else None) or (0,))[0]
    steps = decision.cause.steps() if decision.cause is not None else ()
    return any(step.path == frame.path and first < step.line <= (until or decision.at[0]) for step in steps)
