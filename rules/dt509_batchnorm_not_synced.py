"""Batch norm over the few samples of one rank.

What it finds
-------------
A model with BatchNorm is trained under DDP on small batches per rank, without SyncBatchNorm.

Why it is bad
-------------
Each rank normalises by the statistics of its own few samples. They are noisy, and the running averages that are saved
are those of rank 0.

Instead
-------
    network = nn.SyncBatchNorm.convert_sync_batchnorm(network)
    model = DDP(network)

Limits
------
Only batch sizes that are written in the program, up to eight.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, Step, batch_norms

RULE = Rule(
    code="DT509",
    slug="batchnorm-not-synced",
    family="DT5",
    effect="wrong",
    tier="strict",
    since="0.1.0",
    frameworks=(
        "torch",
        "lightning",
    ),
    title="batch norm over the few samples of one rank",
)


def check(run: Run) -> Iterator[Finding]:
    for event, trainer, size in batch_norms.unsynchronised_norms(run):
        if event is not None:
            path, at, scope = event.path, event.at, event.function
        elif trainer is not None and trainer.at is not None:
            path, at, scope = trainer.path, trainer.at, ""
        else:
            continue
        yield RULE.finding(
            run.span(path, at),
            f"each rank's BatchNorm sees {size} samples at a time",
            "convert the model with nn.SyncBatchNorm.convert_sync_batchnorm (Lightning: sync_batchnorm=True)",
            scope=scope,
            trail=(Step(path, at[0], "wrapped without SyncBatchNorm"),),
        )
