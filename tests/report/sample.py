"""One report with everything in it that a format can stumble over."""

from __future__ import annotations

from pathlib import Path

from dtlint.api import Rule
from dtlint.findings import Cell, Finding, Span, Step, Timeline, TimelineRow, Verdict, with_fingerprints
from dtlint.report.model import RenderOptions, Report
from dtlint.source.text import Incomplete

SOURCE = """\
import torch.distributed as dist


def save(model, rank):
    if rank == 0:
        torch.save(model.state_dict(), "model.pt")
        dist.barrier()


def main(rank, model, loader):
    for batch in loader:
        loss = model(batch)
        dist.all_reduce(loss)
        save(model, rank)
"""

RULE = Rule(
    code="DT101",
    slug="rank-guarded-collective",
    family="divergence",
    effect="hang",
    tier="default",
    since="0.1.0",
    frameworks=("torch", "jax"),
    title="a collective that only some ranks reach",
    documentation="""\
A collective that only some ranks reach.

## What it finds
A collective under a branch on the rank.

## Why it is bad
The ranks inside wait for the others until the group's timeout.

## Instead
Move it out of the branch.

## Limits
None known.
""",
)

RACE = Rule("DT114", "missing-barrier", "divergence", "race", "default", "0.1.0", (), "a file is read too early")


def guarded() -> Finding:
    timeline = Timeline(
        lanes=("rank 0", "ranks 1..3"),
        rows=(
            TimelineRow(1, "train.py", 13, "all_reduce(loss)", (Cell.RUNS, Cell.RUNS)),
            TimelineRow(0, "train.py", 5, "if rank == 0:", (Cell.TAKEN, Cell.SKIPPED)),
            TimelineRow(2, "train.py", 7, "barrier()", (Cell.WAITS, Cell.NEVER)),
            TimelineRow(3, "train.py", 13, "all_reduce(loss)", (Cell.NOTHING, Cell.PAIRS)),
        ),
        outcome="COLLECTIVE_TYPE_MISMATCH: rank 0 = BARRIER, ranks 1..3 = ALLREDUCE; hang until the group's timeout",
    )
    return RULE.finding(
        Span("train.py", 7, 9, 7, 23),
        "only rank 0 calls `dist.barrier()`: it waits for ranks 1..3, which never come",
        "move `dist.barrier()` out of `if rank == 0:`, behind the block, so that every rank calls it",
        lanes=("rank 0",),
        trail=(
            Step("train.py", 10, "`rank` is the rank of this process"),
            Step("train.py", 14, "`save` is called by every rank"),
            Step("train.py", 5, "`if rank == 0:` lets only rank 0 in"),
        ),
        timeline=timeline,
        scope="save",
        line_text="        dist.barrier()",
        guard_text="    if rank == 0:",
    )


def race() -> Finding:
    return RACE.finding(
        Span("data dir/präp,a:b%.py", 3, 5, 4, 2),
        "rank 0 writes `vocab|x` while\nother ranks read it: 100% a race",
        "call `dist.barrier()` in between",
        line_text="    read('vocab')",
    )


def in_notebook() -> Finding:
    return RULE.finding(
        Span("nb.ipynb", 20, 9, 20, 23),
        "only rank 0 calls `dist.barrier()`",
        "move it out of the block",
        line_text="    dist.barrier()",
        cell=(3, 2, 5),
        verdict=Verdict("confirmed", "2 gloo ranks, 0.8 s", "run"),
    )


def report() -> Report:
    return Report(
        findings=tuple(with_fingerprints([guarded(), race(), in_notebook()])),
        suppressed=(),
        files=5,
        analysed=3,
        incomplete=(Incomplete("old.py", 4, "looks like Python 2: `print` without brackets"),),
        notices=(),
    )


def options(root: Path, **changes: object) -> RenderOptions:
    """Options as for a repository at `root` that holds SOURCE as train.py."""
    (root / ".git").mkdir(exist_ok=True)
    (root / "train.py").write_text(SOURCE, encoding="utf-8")
    values: dict[str, object] = {"root": root, "version": "0.1.0", "rules": (RULE, RACE), "lines": lines, **changes}
    return RenderOptions(**values)


def lines(path: str) -> list[str]:
    return SOURCE.split("\n") if path == "train.py" else []
