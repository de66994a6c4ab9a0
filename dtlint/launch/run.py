"""What does a launch rule get to see, and what does it find?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from dtlint.findings import Finding, Span
from dtlint.launch import batch, cut, machines, outdated, rendezvous, tasks, variables, workers
from dtlint.launch.conflict import Conflict
from dtlint.launch.project import Launches, load
from dtlint.launch.said import Said
from dtlint.launch.variables import Variable
from dtlint.project.pins import NO_PINS, Pins
from dtlint.source.text import Incomplete, SourceFile


@dataclass(frozen=True, slots=True)
class LaunchRun:
    """All launch files of a run at once. `mentioning` finds the Python files in which a word stands; `said` is what
    programs say that the machine has run, `pins` which versions of libraries the project lets in."""

    launches: Launches
    path: str = ""
    knowledge: Any = None
    mentioning: Callable[[str], Sequence[str]] = lambda word: ()
    said: Sequence[Said] = ()
    pins: Pins = NO_PINS

    @property
    def incomplete(self) -> tuple[Incomplete, ...]:
        return self.launches.problems

    def rendezvous(self) -> Iterator[Conflict]:
        return rendezvous.conflicts(self.launches)

    def workers(self) -> Iterator[Conflict]:
        return workers.conflicts(self.launches, self.said)

    def batch(self) -> Iterator[Conflict]:
        return batch.conflicts(self.launches, self.said)

    def tasks(self) -> Iterator[Conflict]:
        return tasks.conflicts(self.launches, self.said)

    def machines(self) -> Iterator[Conflict]:
        return machines.conflicts(self.launches)

    def cut(self) -> Iterator[Conflict]:
        return cut.conflicts(self.launches)

    def outdated(self) -> Iterator[Conflict]:
        return outdated.conflicts(self.launches, self.mentioning, self.pins, self.knowledge)

    def variables(self) -> Iterator[Variable]:
        return variables.handed_on(self.launches, self.mentioning)

    def finding(self, rule: Any, conflict: Conflict) -> Finding:
        """The conflict as a finding of `rule`, at its line."""
        line = max(conflict.line, 1)  # of what another file says, none
        row = self.launches.line(conflict.path, line)
        start = len(row) - len(row.lstrip()) + 1
        span = Span(conflict.path, line, start, line, max(len(row.rstrip()) + 1, start + 1))
        given = {name: getattr(conflict, name) for name in ("effect", "severity", "tier")}
        more = {name: value for name, value in given.items() if value is not None}
        found: Finding = rule.finding(
            span, conflict.message, conflict.remedy, trail=conflict.trail, line_text=row.strip(),
            related=tuple(sorted({step.path for step in conflict.trail} - {conflict.path})), **more,
        )  # fmt: skip
        return found


def launch_run(
    files: Sequence[SourceFile],
    knowledge: Any = None,
    mentioning: Callable[[str], Sequence[str]] = lambda word: (),
    said: Sequence[Said] = (),
    pins: Pins = NO_PINS,
) -> LaunchRun:
    return LaunchRun(load(files), knowledge=knowledge, mentioning=mentioning, said=said, pins=pins)
