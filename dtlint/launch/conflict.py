"""What is wrong with a launch, before a rule makes a finding of it?"""

from __future__ import annotations

from dataclasses import dataclass

from dtlint.findings import Step
from dtlint.launch.model import Argument, Launch


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two facts of a launch that do not go together. `effect`, `severity` and `tier` override those of the rule."""

    path: str
    line: int
    message: str
    remedy: str
    trail: tuple[Step, ...]
    effect: str | None = None
    severity: str | None = None
    tier: str | None = None


def evidence(launch: Launch, *options: Argument | None, said: str = "") -> tuple[Step, ...]:
    """The enclosing starts from the outside in, the launch, and the options that matter."""
    steps = [outer.place for outer in reversed(list(launch.outers))]
    steps.append(launch.place)
    for option in options:
        if option is not None:
            step = Step(path_of(launch, option), option.line, f"`{option.shown}`" + (f": {said}" if said else ""))
            if step not in steps:
                steps.append(step)
            if option.origin is not None:
                steps.append(Step(*option.origin, f"`{option.name}` is written here"))
    return tuple(steps)


def line_of(launch: Launch, *options: Argument | None) -> int:
    """The line an author would edit: the first option that is written down, else the launcher's."""
    return next((option.line for option in options if option is not None and option.line), launch.line)


def path_of(launch: Launch, option: Argument | None) -> str:
    """The file in which an option of the launch stands, or of what is around it: `srun bash run.sh` makes two."""
    around = (outer for outer in launch.outers if any(item is option for item in outer.options))
    return next((outer.path for outer in around), launch.path)
