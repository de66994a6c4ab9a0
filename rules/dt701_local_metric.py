"""A number from one rank's part of the data is told as if it were everybody's.

What it finds
-------------
An evaluation result that was computed on this rank's shard is printed, logged, given to a `ReduceLROnPlateau` or used
for the best checkpoint without a reduction; means over shares of different size that are averaged; `self.log` in a
validation hook without `sync_dist=True`; a running total that is all-reduced in every turn.

Why it is bad
-------------
The number describes a fraction of the data, a different one on every rank. Checkpoints are chosen by chance, and totals
that are summed again and again grow with the number of turns.

Instead
-------
    dist.all_reduce(right)                     # once, after the loop
    accuracy = (right[0] / right[1]).item()

or `accelerator.gather_for_metrics`, torchmetrics, `self.log(..., sync_dist=True)`.

Limits
------
Training losses are commonly shown from one rank and are left alone. Where something of the same evaluation is reduced,
and what came of that is not seen to be told, the finding is of the strict tier.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, Span, Step, local_metrics

RULE = Rule(
    code="DT701",
    slug="local-metric",
    family="DT7",
    effect="wrong",
    tier="default",
    since="0.1.0",
    frameworks=("torch", "accelerate", "lightning"),
    title="a metric of one rank's data told as if it were global",
)
SPOKEN = {
    "shown": "this number comes from one rank's part of the data, but is shown as if it were everybody's",
    "decides": "rank 0 decides on a number from its own part of the data only",
    "steers": "each rank's schedule follows a number from its own part of the data: the learning rates drift apart",
    "lightning": "`self.log` in an evaluation hook without `sync_dist=True` keeps one rank's value",
    "means": "each rank divides by a count of its own, and the quotients are averaged as if the counts were equal",
    "twice": "this running total is summed over the ranks in every turn: earlier turns are summed again",
}
HERE = {  # the end of the trail
    "shown": "shown here as it is",
    "decides": "rank 0 decides on it here",
    "steers": "each rank's schedule follows it here",
}
REMEDY = {
    "shown": "sum numerator and denominator over the ranks (`dist.all_reduce`) before the division",
    "decides": "all_reduce the number first, so that it speaks for all ranks",
    "steers": "all_reduce the number first, so that every rank takes the same step",
    "lightning": "pass `sync_dist=True`, or log a torchmetrics metric",
    "means": "sum what is above and what is below the line over the ranks, and divide afterwards",
    "twice": "add up locally and all_reduce once, after the loop",
}


def check(run: Run) -> Iterator[Finding]:
    for found in local_metrics(run):
        event = found.event
        here = Step.of(event, HERE.get(found.kind, SPOKEN[found.kind]))
        trail = (*found.steps, here, *(step for step in found.further if step.line != here.line))
        yield RULE.finding(
            Span(event.path, *event.at),
            SPOKEN[found.kind],
            REMEDY[found.kind],
            scope=event.function,
            trail=trail,
            tier=found.tier,
        )
