"""Which shell scripts start a program by a launcher that torchrun has replaced?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from dtlint.launch.conflict import Conflict, evidence
from dtlint.launch.files import SHELL_SUFFIXES
from dtlint.launch.project import Launches
from dtlint.project.pins import Pins

OLD = "torch.distributed.launch"
NEW_SINCE = "torch 1.10"
PASSED = ("--local_rank", "--local-rank")  # what it passes to the program, by the version of torch


def conflicts(
    launches: Launches, mentioning: Callable[[str], Sequence[str]], pins: Pins, knowledge: Any = None
) -> Iterator[Conflict]:
    """A program that takes the option has been written for this launcher; with `--use_env` nothing is passed."""
    taking = (*PASSED, *(row.last for row in parsers(knowledge)))
    for launch in launches:
        if launch.kind != OLD or not launch.path.endswith(SHELL_SUFFIXES) or not launch.options.complete:
            continue
        if launch.options.get("use_env") or pins.before(launch.path, NEW_SINCE) or any(map(mentioning, taking)):
            continue
        yield Conflict(
            launch.path,
            launch.line,
            f"`{OLD}` is deprecated, and passes `--local-rank` to a program that does not ask for it",
            "start it with `torchrun`, and read `LOCAL_RANK` from the environment",
            evidence(launch),
        )


def parsers(knowledge: Any) -> Iterator[Any]:
    """What reads a command line and takes the option without being told so."""
    rows = knowledge.apis.values() if knowledge is not None else ()
    yield from (row for row in rows if row.extra.get("takes") in PASSED)
