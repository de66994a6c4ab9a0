"""A loss scaled by the number of ranks twice.

What it finds
-------------
The loss is divided by the number of ranks, although DDP or FSDP averages the gradients over the ranks already.

Why it is bad
-------------
The gradient is smaller by the number of ranks: with 64 ranks the learning rate is in effect a 64th of what was
chosen, and it changes with the size of the job.

Instead
-------
    loss.backward()                     # DDP averages over the ranks

Limits
------
Losses that are normalised by counts of this rank only are not recognised yet.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, Step, loss_scale

RULE = Rule(
    code="DT514",
    slug="loss-normalisation",
    family="DT5",
    effect="wrong",
    tier="strict",
    since="0.1.0",
    frameworks=("torch",),
    title="a loss scaled by the number of ranks twice",
)


def check(run: Run) -> Iterator[Finding]:
    for met in loss_scale.scaled_twice(run):
        event = met.event
        yield RULE.finding(
            run.span(event.path, event.at),
            "the loss is divided by the number of ranks, and the wrapper averages the gradients once more",
            "leave the division out: the gradients are averaged over the ranks already",
            scope=event.function,
            trail=(Step(event.path, event.at[0], "backward averages over the ranks"),),
        )
