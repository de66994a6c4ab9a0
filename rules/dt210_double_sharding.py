"""The data is divided between the ranks twice.

What it finds
-------------
A distributed sampler over a data set that was already cut by rank, a loader with a distributed sampler given to
`accelerator.prepare`, and a data set cut by rank under a trainer that divides the data itself (Lightning, Fabric,
accelerate, HF Trainer).

Why it is bad
-------------
Each rank sees 1/world² of the data: with 8 ranks, seven eighths of it are never used.

Instead
-------
    loader = DataLoader(dataset, batch_size=16, shuffle=True)      # the framework divides it
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)

or cut the data yourself and switch the replacement off (`Trainer(use_distributed_sampler=False)`).

Limits
------
A sampler over the ranks of one node, on data cut by node, is right and not reported.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, divided, span_at

RULE = Rule(
    code="DT210",
    slug="double-sharding",
    family="DT2",
    effect="wrong",
    tier="default",
    since="0.1.0",
    frameworks=("torch", "accelerate", "lightning", "transformers", "datasets"),
    title="the data is divided between the ranks twice",
)


def check(run: Run) -> Iterator[Finding]:
    for place, steps, again in divided.divided_twice(run):
        yield RULE.finding(
            span_at(place),
            f"the data is divided between the ranks twice: {again}",
            "divide it once: give the whole data set to the sampler or framework, or cut it by rank and leave "
            "the sampler out",
            scope=place[2],
            trail=steps,
        )
