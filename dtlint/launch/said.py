"""What does a program itself say of how it is to be started? The machine has run it; launch files are held to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from dtlint.findings import Step

if TYPE_CHECKING:
    from dtlint.launch.model import Launch
    from dtlint.launch.project import Launches

SLURM_STARTS = "slurm starts its ranks"  # a trainer that takes the tasks of Slurm for its processes
TASK_IS_RANK = "task is rank"  # it asks Slurm for the number of its task, and starts no processes
TRAINER_ARGUMENTS = "arguments of a trainer"
ENGINE = "batch of an engine"  # which checks it against the number of processes
MESH = "mesh of ranks"  # as many as there are has to be
SEVERAL_HOSTS = "several hosts"  # what it calls makes sense where there are several

Told = str | int | float | bool | list[int] | None


@dataclass(frozen=True, slots=True)
class Said:
    """`program` is the script that was run, `path` and `line` where it says so. Of a value that is given and not known,
    None is told; of one that is not given, what the library takes then, where that is known. Some are `options` of the
    command line, with their names and defaults: who starts the program gives them."""

    topic: str
    program: str
    path: str
    line: int
    values: Mapping[str, Told] = field(default_factory=dict)
    usual: Mapping[str, Told] = field(default_factory=dict)
    options: Mapping[str, Sequence[Told]] = field(default_factory=dict)

    def started(self, launch: Launch) -> Said:
        """As this start of the program has it."""
        given = {name: argument(launch, str(option), default) for name, (option, default) in self.options.items()}
        return replace(self, values={**self.values, **given}) if given else self

    def get(self, name: str) -> Told:
        return self.values[name] if name in self.values else self.usual.get(name)

    def number(self, name: str) -> int | None:
        value = self.get(name)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def step(self, *names: str) -> Step:
        shown = ", ".join(f"{name}={self.values[name]!r}" for name in names if name in self.values)
        return Step(self.path, self.line, f"the program says `{shown}`" if shown else "the program says so")


def by_program(said: Iterable[Said], launches: Launches, launch: Launch, topic: str) -> list[Said]:
    """What the program that is started here says of this."""
    return [one.started(launch) for one in said if one.topic == topic and launch in launches.of_script(one.program)]


def argument(launch: Launch, option: str, default: Told) -> Told:
    """What the option is in this start, unless something unknown is handed on to the program."""
    given = launch.arguments.get(option)
    if given is not None:
        return given.number
    return default if launch.arguments.complete and not launch.positional else None
