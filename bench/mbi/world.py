"""What happens when four ranks run a program? A small deterministic stand-in for a process group, on threads."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

WORLD_SIZE = 4
Signature = tuple[object, ...]


class Abandoned(BaseException):
    """Unwinds a rank that can never go on; no `except Exception` of a program may catch it."""


@dataclass
class Meeting:
    """The n-th collective of one group: who came, with what."""

    members: tuple[int, ...]
    came: dict[int, Signature] = field(default_factory=dict)
    values: dict[int, Any] = field(default_factory=dict)
    waiting: int = 0

    @property
    def complete(self) -> bool:
        return len(self.came) == len(self.members)


@dataclass
class World:
    """Counts who runs; when nobody runs and somebody waits, the job hangs."""

    size: int = WORLD_SIZE
    condition: threading.Condition = field(default_factory=threading.Condition)
    meetings: dict[tuple[str, int], Meeting] = field(default_factory=dict)
    turns: dict[tuple[str, int], int] = field(default_factory=dict)
    running: int = 0
    verdict: str = ""
    reason: str = ""

    def fail(self, verdict: str, reason: str) -> None:
        """The first failure is the verdict; everybody who waits is let go. Called under the condition."""
        if not self.verdict:
            self.verdict, self.reason = verdict, reason
        self.condition.notify_all()

    def post(self, rank: int, group: str, members: tuple[int, ...], signature: Signature, value: Any) -> Meeting:
        """Enter the next collective of the group without waiting for the others."""
        with self.condition:
            turn = self.turns.get((group, rank), 0)
            self.turns[(group, rank)] = turn + 1
            meeting = self.meetings.setdefault((group, turn), Meeting(members))
            for other, theirs in meeting.came.items():
                if theirs != signature:
                    self.fail("mismatch", f"call {turn} of {group}: rank {other} {theirs}, rank {rank} {signature}")
            meeting.came[rank] = signature
            meeting.values[rank] = value
            if meeting.complete:
                self.running += meeting.waiting  # they count as running before they wake up
                meeting.waiting = 0
                self.condition.notify_all()
            return meeting

    def wait(self, meeting: Meeting) -> dict[int, Any]:
        with self.condition:
            if not meeting.complete:
                meeting.waiting += 1
                self.stop_running(f"only ranks {sorted(meeting.came)} made a {next(iter(meeting.came.values()))}")
            while not meeting.complete and not self.verdict:
                self.condition.wait()
            if self.verdict:
                raise Abandoned
            return meeting.values

    def stop_running(self, reason: str) -> None:
        self.running -= 1
        if self.running == 0 and any(meeting.waiting for meeting in self.meetings.values()):
            self.fail("hang", reason)

    def finish(self) -> None:
        """What nobody waited for must have happened all the same."""
        missing = [key for key, meeting in self.meetings.items() if not meeting.complete]
        if missing and not self.verdict:
            self.verdict, self.reason = "hang", f"never completed: {missing[0]}"
        self.verdict = self.verdict or "finished"


def run(program: Callable[[World, int], None], size: int = WORLD_SIZE) -> World:
    """Run `program` once per rank and say how it went: finished, mismatch, hang or crash."""
    world = World(size, running=size)
    threads = [threading.Thread(target=run_rank, args=(program, world, rank), daemon=True) for rank in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    with world.condition:
        if any(thread.is_alive() for thread in threads):
            world.fail("hang", "a rank never stopped running")
        world.finish()
    return world


def run_rank(program: Callable[[World, int], None], world: World, rank: int) -> None:
    problem = ""
    try:
        program(world, rank)
    except (Abandoned, SystemExit):
        pass
    except Exception as exception:
        problem = f"rank {rank}: {type(exception).__name__}: {exception}"
    with world.condition:
        if problem:
            world.fail("crash", problem)
        world.stop_running(f"rank {rank} has left")
