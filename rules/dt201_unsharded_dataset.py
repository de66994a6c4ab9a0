"""Every rank trains on the same data.

What it finds
-------------
A data-parallel training loop reads from a loader or stream that gives every rank the same samples: no distributed
sampler, no split by rank in the data set, no framework that divides the loader. Batches that the program picks out of
stored data count as well, where the generator was seeded alike on all ranks; so do windows that move on over a file
from the same place on every rank, and shares of all ranks' data that a rank picks by its number on the node, because
the second node then reads what the first one does.

Why it is bad
-------------
All ranks compute the same gradients. The job costs as many GPUs as it has and learns like one; an epoch takes as long
as on one GPU, and the loss curve shows nothing.

Instead
-------
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=16, sampler=sampler)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)

For streams: `split_dataset_by_node(stream, rank=rank, world_size=world_size)`.

Limits
------
Data sets of libraries nobody described count only when the loader shuffles them, because such data sets may find their
rank themselves; what calls into such libraries hand over does not count. Where the program divides other data that it
trains on, this is told in the strict tier only, unless the sampler of the very data is seen to be left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, span_at, taken_by_node, unsharded

RULE = Rule(
    code="DT201",
    slug="unsharded-dataset",
    family="DT2",
    effect="wrong",
    tier="default",
    since="0.1.0",
    frameworks=("torch", "accelerate", "lightning", "datasets", "jax"),
    title="every rank trains on the same data",
)


def check(run: Run) -> Iterator[Finding]:
    trained = list(unsharded.unsharded(run))
    for use, place, steps in (*trained, *unsharded.left_out(run, trained), *unsharded.handed_over(run)):
        yield RULE.finding(
            span_at(place),
            "every rank reads the same samples: nothing divides this data between the ranks",
            unsharded.remedy_for_sharding(use),
            scope=place[2],
            trail=steps,
            tier=unsharded.tier_of(run, use),
        )
    for place, steps in unsharded.picked_alike(run):
        yield RULE.finding(
            span_at(place),
            "every rank gets the same seed here, and then picks the same samples",
            "seed what picks the data by rank: `torch.manual_seed(seed + rank)`",
            scope=place[2],
            trail=steps,
        )
    for place, steps in unsharded.walked_alike(run):
        yield RULE.finding(
            span_at(place),
            "every rank reads the same part of the data here, in every step",
            "begin at a place of each rank's own and go on by the parts of all: `position = rank * size`, "
            "`position += world_size * size`",
            scope=place[2],
            trail=steps,
        )
    for place, steps in unsharded.unsharded_hosts(run):
        yield RULE.finding(
            span_at(place),
            "every host reads the same samples: nothing divides this data between the hosts",
            "give each host its part, for example `files.shard(jax.process_count(), jax.process_index())`",
            scope=place[2],
            trail=steps,
        )
    for place, cause, steps in taken_by_node(run):
        number = "rank on the node" if cause.kind == "local rank" else "number of the node"
        yield RULE.finding(
            span_at(place),
            f"the data is divided between all ranks, but each takes its share by the {number}: several ranks read the "
            "same share, and some shares nobody",
            "pick the share by the global rank: `dist.get_rank()`",
            scope=place[2],
            trail=steps,
        )
