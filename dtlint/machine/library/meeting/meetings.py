"""What do ranks get from a call that they make from different lines?

`if rank == 0: share(length) else: share(None)`: the ranks meet in one broadcast, though each side of the branch comes
there by itself. Who comes later gets what those had that came before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.logs import Group, decisions
from dtlint.machine.names.frames import Frame
from dtlint.machine.values import Value

MEETINGS = "meetings"
OPEN = 16  # meetings that wait for the others; an earlier one is no longer expected to be joined


@dataclass(slots=True)
class Meeting:
    kind: tuple[object, ...]
    lanes: int
    got: Value


def got_there(machine: Machine, call: Invocation, group: Group | None, param: str, got: Value) -> Value:
    """What these ranks get: their own answer where they are the first to come, or all that there are."""
    full = machine.world.full
    if call.mask == full or group is None:
        return got
    waiting: list[Meeting] = machine.facts.setdefault(MEETINGS, [])
    kind = (call.row.op, group.number, param, *loops_around(machine))
    for meeting in waiting:
        if meeting.kind == kind and not meeting.lanes & call.mask:
            meeting.lanes |= call.mask
            if meeting.lanes == full:
                waiting.remove(meeting)
            return meeting.got
    waiting.append(Meeting(kind, call.mask, got))
    del waiting[:-OPEN]
    return got


def loops_around(machine: Machine) -> Iterator[object]:
    frame: Frame | None = machine.frame
    while frame is not None:
        yield from (one.place for one in decisions(frame.guards) if one.kind == "loop")
        frame = frame.caller
