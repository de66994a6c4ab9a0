"""A streamed data set that is split by worker or by rank, but not by both.

What it finds
-------------
An IterableDataset (or WebDataset pipeline) under data-parallel training that divides its samples between the workers of
one loader but not between the ranks, or between the ranks but not between the workers.

Why it is bad
-------------
Split by worker only, all ranks read the same samples. Split by rank only, each of `num_workers` workers reads all of
the rank's part, so every sample comes that many times.

Instead
-------
    info = torch.utils.data.get_worker_info()
    workers, worker = (info.num_workers, info.id) if info else (1, 0)
    for index in range(rank * workers + worker, total, world_size * workers):
        ...

WebDataset: `wds.split_by_node` before `wds.split_by_worker`.

Limits
------
The number of workers has to be known and at least two for a missing split by worker. A stream that never ends is not
reported where each worker draws an order of its own: it has no pass in which a sample should come once.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, divided, span_at

RULE = Rule(
    code="DT205",
    slug="iterable-not-split",
    family="DT2",
    effect="wrong",
    tier="default",
    since="0.1.0",
    frameworks=("torch", "webdataset"),
    title="a streamed data set that is split by worker or by rank, but not by both",
)


def check(run: Run) -> Iterator[Finding]:
    for place, steps, by in divided.half_split(run):
        if by == "worker":
            message = "the samples are divided between the workers of a loader, but not between the ranks"
            remedy = "divide by rank first: start at `rank * num_workers + worker`, step by `world_size * num_workers`"
        else:
            message = (
                "the samples are divided between the ranks, but every worker of the loader reads all of them again"
            )
            remedy = "ask `torch.utils.data.get_worker_info()` and divide the rank's part between its workers"
        yield RULE.finding(span_at(place), message, remedy, scope=place[2], trail=steps)
