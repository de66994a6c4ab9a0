"""What part of the data or of the machines does the program make use of?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dtlint.findings import Finding
from dtlint.launch.project import Launches
from dtlint.launch.workers import ACCELERATOR
from dtlint.launch.workers import hosts as hosts_of_accelerator
from dtlint.ready.facts import Facts

SAME_DATA = ("DT201",)
STEPS_ON_NODES = ("srun", "skypilot", "jobset", "pytorchjob")


@dataclass(frozen=True, slots=True)
class Waste:
    """`fraction` of the work counts; None when the number of processes is not known."""

    text: str
    processes: int | None
    fraction: float | None
    finding: Finding


def wasted(findings: Sequence[Finding], facts: Facts, launches: Launches, hosts: int | None) -> Iterator[Waste]:
    same = next((finding for finding in findings if finding.code in SAME_DATA), None)
    if same is not None:
        number = hosts or readers(facts, launches)
        who = "hosts" if facts.of("jax") and not facts.of("initialise-torch") else "processes"
        if number is None or number < 2:
            yield Waste(f"all {who} read the same data: with N {who} 1/N of the work counts", None, None, same)
        else:
            share = 1 / number
            yield Waste(f"{number} {who} read the same data: {100 * share:.0f} % effective", number, share, same)
    for launch in launches:
        step = launch.step(*STEPS_ON_NODES)
        if step is None or launch.nodes != 1 or not step.nodes or step.nodes < 2:
            continue
        alone = next(
            (
                item
                for item in findings
                if item.effect == "wrong" and item.code in ("DT901", "DT904") and item.span.path == launch.path
            ),
            None,
        )
        if alone is not None:
            share = 1 / step.nodes
            yield Waste(f"{step.nodes} nodes train alone: {100 * share:.0f} % effective", step.nodes, share, alone)


def readers(facts: Facts, launches: Launches) -> int | None:
    """How many processes read data: what the launch files say, else what the source says."""
    per_host = bool(facts.of("jax")) and not facts.of("initialise-torch")
    numbers = [
        number
        for launch in launches
        if launch.kind in ("python", "torchrun", "accelerate", "deepspeed", "torch.distributed.launch")
        and (number := launch.nodes if per_host else launch.world_size) is not None
    ]
    if per_host:
        for file in launches.files:
            numbers += [hosts_of_accelerator(match[0]) or 1 for match in ACCELERATOR.finditer(file.text)]
    most = max(numbers, default=1)
    return most if most > 1 else facts.hosts
