"""A sampler and `shuffle` that contradict each other.

What it finds
-------------
`shuffle=True` on a loader that has a sampler, and a training sampler that never shuffles over several epochs.

Why it is bad
-------------
torch raises `ValueError: sampler option is mutually exclusive with shuffle` on the ranks that have a sampler, often
only on the cluster, because the sampler is None on a single GPU. With `shuffle=False` every epoch shows the same order.

Instead
-------
    sampler = DistributedSampler(dataset, shuffle=True)
    loader = DataLoader(dataset, sampler=sampler, shuffle=sampler is None)

Limits
------
One pass in order, as for language models, is not reported.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, sampling, span_at

RULE = Rule(
    code="DT203",
    slug="sampler-and-shuffle",
    family="DT2",
    effect="crash",
    tier="default",
    since="0.1.0",
    frameworks=("torch",),
    title="a sampler and `shuffle` that contradict each other",
)


def check(run: Run) -> Iterator[Finding]:
    for place, steps in sampling.shuffled_samplers(run):
        yield RULE.finding(
            span_at(place),
            "`shuffle=True` and a sampler exclude each other: torch raises ValueError here",
            "leave `shuffle` to the sampler: `DistributedSampler(dataset, shuffle=True)`, and "
            "`shuffle=sampler is None` on the loader",
            scope=place[2],
            trail=steps,
        )
    for place, steps in sampling.ordered_samplers(run):
        yield RULE.finding(
            span_at(place),
            "the training sampler never shuffles: every epoch shows the samples in the same order",
            "use `shuffle=True` (the default) for training and call `set_epoch` in every epoch",
            effect="wrong",
            scope=place[2],
            trail=steps,
        )
