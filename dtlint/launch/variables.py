"""Which variables do launch files put into the environment of the programs they start?"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from dtlint.launch.conflict import Conflict, evidence
from dtlint.launch.model import Argument, Launch
from dtlint.launch.project import Launches


@dataclass(frozen=True, slots=True)
class Variable:
    """`export NAME=value`, an entry of a container's `env`; `launch` is the first start that is given it."""

    launch: Launch
    given: Argument
    read_here: bool  # by the launch file itself, or by a program of the project

    @property
    def name(self) -> str:
        return self.given.name

    @property
    def beside(self) -> frozenset[str]:
        return frozenset(self.launch.environment)

    def conflict(self, message: str, remedy: str) -> Conflict:
        trail = evidence(self.launch, self.given)
        return Conflict(self.launch.path, self.given.line, message, remedy, trail)


def handed_on(launches: Launches, mentioning: Callable[[str], Sequence[str]]) -> Iterator[Variable]:
    seen: set[tuple[str, int, str]] = set()
    for launch in launches:
        for name, given in launch.environment.items():
            place = (launch.path, given.line, name)
            if place not in seen and given.line and launch.kind != "batch job":
                seen.add(place)
                yield Variable(launch, given, used_in(launches, launch.path, name) or bool(mentioning(name)))


def used_in(launches: Launches, path: str, name: str) -> bool:
    """Does the script itself ask for the value: `--port "$NAME"`?"""
    return re.search(rf"\$\{{?{name}\b", "\n".join(launches.texts.get(path, []))) is not None
