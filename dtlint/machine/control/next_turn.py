"""Does the next turn of a loop use what this one has left under way?

A turn may leave asynchronous calls running on tensors that are older than the loop. The body is run once more on the
state as the turn has left it, into a log of its own: only what it does to those tensors too early is kept.
"""

from __future__ import annotations

from collections.abc import Callable

from dtlint.ir import nodes as ir
from dtlint.machine.core import Machine
from dtlint.machine.logs import Event, Log, Loop
from dtlint.machine.names.frames import LoopState
from dtlint.machine.values import Object
from dtlint.machine.walks import walk

TENSOR = "torch.Tensor"


def look_ahead(machine: Machine, node: ir.For | ir.While, loop: Loop, oldest: int, enter: Callable[[int], int]) -> None:
    """`oldest` is the newest object there was before the loop."""
    from dtlint.machine.library.meeting.works import EARLY, RUNNING

    left = {
        number for number, work in machine.facts.get(RUNNING, {}).items() if number > oldest and lasts(work, oldest)
    }
    if not left:
        return
    frame, facts, sinks, guards = machine.frame, machine.facts, machine.sinks, machine.frame.guards
    ended, last_exit = frame.left, frame.last_exit
    leavings, returns, mark = len(frame.leavings), len(frame.returns), len(machine.journal)
    seen = Log()
    machine.facts = {**facts, RUNNING: dict(facts[RUNNING])}
    machine.sinks = [(seen, loop.mask)]
    frame.loops.append(LoopState(subject=loop.subject, newest=machine.objects))
    try:
        entering = enter(loop.mask)
        if entering:
            machine.run(node.body, entering)
    finally:
        frame.loops.pop()
        machine.facts, machine.sinks, frame.guards = facts, sinks, guards
        frame.left, frame.last_exit = ended, last_exit
        del frame.leavings[leavings:]
        del frame.returns[returns:]
        machine.rollback(mark)
    for one, _ in walk(seen):
        if isinstance(one, Event) and one.op == EARLY and one.extra["work"].number in left:
            loop.body.nodes.append(one)


def lasts(work: Object, oldest: int) -> bool:
    """Is it one tensor, in every turn the same?"""
    from dtlint.machine.library.meeting import works

    call = work.facts["event"].extra["call"]
    tensors = [value for value in call.values if isinstance(value, Object) and value.kind == TENSOR]
    return any(tensor.number <= oldest and works.is_one(tensor) for tensor in tensors)
