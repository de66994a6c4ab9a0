"""The batch size of all ranks is mixed up with that of one.

What it finds
-------------
A batch size that is divided by the number of ranks twice, divided by the devices of this node only, multiplied by the
ranks although each rank takes that much, by the devices of all hosts for the part of one, or not divided at all;
accumulation steps that leave out the number of ranks.

Why it is bad
-------------
The real batch is some times larger or smaller than the one the learning rate was chosen for, and changes with the
number of nodes. Nothing fails.

Instead
-------
    per_rank = global_batch_size // dist.get_world_size()
    accumulate = global_batch_size // (micro_batch_size * dist.get_world_size())

Limits
------
That a number counts the samples of all ranks is taken from its name (`global`, `total`, `effective`), or from the
question whether it is a multiple of what all ranks take at once (`batch % (micro_batch_size * world_size)`).
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, engine_batches, host_batches, one_node, shares, span_at

RULE = Rule(
    code="DT209",
    slug="batch-arithmetic",
    family="DT2",
    effect="wrong",
    tier="default",
    since="0.1.0",
    frameworks=("torch", "jax", "tensorflow"),
    title="the batch size of all ranks is mixed up with that of one",
)


def check(run: Run) -> Iterator[Finding]:
    for found in (
        *shares.batch_mistakes(run),
        *engine_batches.told_mistakes(run),
        *one_node.mistakes(run),
        *host_batches.mistakes(run),
    ):
        yield RULE.finding(span_at(found.place), found.text, found.remedy, scope=found.place[2], trail=found.steps)
