"""Which launch commands end before their options do?"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.findings import Step
from dtlint.launch.conflict import Conflict
from dtlint.launch.project import Launches


def conflicts(launches: Launches) -> Iterator[Conflict]:
    for launch in launches:
        if launch.lost is None:
            continue
        last, following = launch.lost
        first = launches.line(launch.path, following).split()[0].rstrip("\\")
        yield Conflict(
            launch.path,
            last,
            f"the command ends here: `{first}` in line {following} and what follows do not belong to it",
            "let the backslash be the last character of its line, and put comments on lines of their own before the "
            "command",
            (
                launch.place,
                Step(launch.path, last, "a backslash before a blank continues nothing"),
                Step(launch.path, following, "read as a command of its own"),
            ),
        )
