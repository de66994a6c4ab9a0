"""Does every worker of a TPU pod get the command that all of them have to run? (DT902)"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from dtlint.launch.conflict import Conflict, evidence
from dtlint.launch.model import Launch
from dtlint.launch.project import Launches
from dtlint.launch.said import SEVERAL_HOSTS, Said, by_program
from dtlint.launch.shell_values import known, shown

ACCELERATOR = re.compile(r"\b(v2|v3|v4|v5p|v5e|v5litepod|v5lite|v6e)-(\d{1,5})\b", re.IGNORECASE)
WHOLE_CHIPS = ("v5e", "v5litepod", "v5lite", "v6e")  # the number counts chips; for the others, cores: two a chip
# Programs of one worker that look after the others, or that do no training.
ASIDE = re.compile(
    r"(?:setup|install|download|prepare|convert|export|check|test|plot|monitor|tensorboard|serve|demo)", re.I
)


def hosts(accelerator: str) -> int | None:
    """How many hosts a TPU of this type has: `v4-32` has four, `v5litepod-16` has four, `v3-8` one."""
    match = ACCELERATOR.search(accelerator)
    if match is None:
        return None
    family, number = match[1].lower(), int(match[2])
    if family in WHOLE_CHIPS:
        return 1 if number <= 8 else -(-number // 4)
    return max(1, number // 8)


def conflicts(launches: Launches, said: Sequence[Said]) -> Iterator[Conflict]:
    """`said`: what the programs say, of whether there are several hosts."""
    for file in launches.files:
        steps = [launch for launch in launches.in_file(file.path) if launch.kind in ("tpu-vm ssh", "tpu-vm scp")]
        for program in launches.in_file(file.path):
            step = program.step("tpu-vm ssh")
            if step is not None and program.kind not in ("tpu-vm ssh", "tpu-vm scp"):
                yield from _worker(program, step, steps, file.text, launches, said)


def _worker(
    program: Launch, step: Launch, steps: list[Launch], text: str, launches: Launches, said: Sequence[Said]
) -> Iterator[Conflict]:
    option = step.options.get("worker")
    value = (option.value if option else "0") or "0"
    if option is None and not step.options.complete:
        return
    if not known(value) or value == "all" or "," in value or "-" in value:
        return
    if step.loops or ASIDE.search((program.script or "").rpartition("/")[2]):
        return
    same = [
        other for other in steps if other is not step and other.script == step.script and other.kind == "tpu-vm ssh"
    ]
    if any(
        _worker_of(other) not in ("all", value) and _program_of(other, launches) == program.script for other in same
    ):
        return  # the other workers get it from commands of their own
    reason, certain = _several_hosts(program, step, steps, text, launches, said)
    if reason is None and certain:
        return
    which = f"`--worker={value}`" if option else "without `--worker` it is worker 0 alone"
    yield Conflict(
        step.path, option.line if option else step.line,
        f"`{shown(program.script or program.kind)}` starts on one worker ({which})"
        + (f", but {reason}" if reason else ""),
        "add `--worker=all`: every host has to run the same program, and the first collective waits for all of them",
        evidence(program, option), tier=None if reason else "strict",
    )  # fmt: skip


def _worker_of(step: Launch) -> str:
    option = step.options.get("worker")
    return (option.value if option else None) or "0"


def _program_of(step: Launch, launches: Launches) -> str | None:
    for launch in launches.in_file(step.path):
        outer = launch.step("tpu-vm ssh")
        if outer is not None and (outer.line, outer.order) == (step.line, step.order):
            return launch.script
    return None


def _several_hosts(
    program: Launch, step: Launch, steps: list[Launch], text: str, launches: Launches, said: Sequence[Said]
) -> tuple[str | None, bool]:
    """Why there must be several hosts; and whether it is settled that there is one only."""
    named = {match[0].lower(): hosts(match[0]) or 1 for match in ACCELERATOR.finditer(text)}
    if named and max(named.values()) > 1:
        name = max(named, key=lambda item: named[item])
        return f"a `{name}` has {named[name]} hosts", True
    if named:
        return None, True
    if any(_worker_of(other) == "all" for other in steps if other.script == step.script):
        return "other commands in this file go to all workers", True
    if asks := by_program(said, launches, program, SEVERAL_HOSTS):
        return f"the program is made for several hosts ({asks[0].path}:{asks[0].line})", True
    return None, False
