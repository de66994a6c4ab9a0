"""A seed that each process makes for itself, where ranks must agree.

What it finds
-------------
A seed from the clock, the process id, `hash()` of a text or a random draw that reaches a split, a shuffle before
sharding, a sampler, or first weights that nothing makes equal.

Why it is bad
-------------
The ranks get different seeds, so they disagree on the split, the order or the weights, differently in every run.

Instead
-------
    seed = torch.tensor([int(time.time())], device=device)
    dist.broadcast(seed, src=0)

or a seed from the configuration.

Limits
------
Seeds for noise, which should differ by rank, are not reported.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, seeding, span_at

RULE = Rule(
    code="DT307",
    slug="unseeded-or-clock-seed",
    family="DT3",
    effect="wrong",
    tier="default",
    since="0.1.0",
    frameworks=("torch", "jax"),
    title="a seed that each process makes for itself, where ranks must agree",
)

REMEDIES = {
    "seed": "take the seed from the configuration, or broadcast rank 0's seed before using it",
    "epoch": "count the epochs alike on every rank, and tell the sampler that number",
}


def check(run: Run) -> Iterator[Finding]:
    for found in seeding.disagreements(run, RULE.code):
        yield RULE.finding(
            span_at(found.place),
            f"the {found.number} is made from {found.why}, so it differs between the ranks, "
            f"and it decides {found.what}",
            REMEDIES[found.number],
            scope=found.place[2],
            trail=found.steps,
        )
