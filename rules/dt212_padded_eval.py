"""Evaluation counts some samples twice or leaves some out.

What it finds
-------------
An evaluation loader with a padding DistributedSampler whose results are summed over the ranks, `accelerator.gather` of
results of a prepared evaluation loader, and `drop_last=True` in evaluation.

Why it is bad
-------------
Samplers and prepared loaders repeat samples so that all ranks have equally many; the metric counts them again and
changes with the number of ranks. With `drop_last` the last samples are never evaluated.

Instead
-------
    predictions, targets = accelerator.gather_for_metrics((predictions, targets))

or give each rank its own slice of the data and sum numerator and denominator.

Limits
------
How many samples are repeated depends on the length of the data, which is seldom known.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, evaluation, span_at, step_at

RULE = Rule(
    code="DT212",
    slug="padded-eval",
    family="DT2",
    effect="wrong",
    tier="strict",
    since="0.1.0",
    frameworks=("torch", "accelerate"),
    title="evaluation counts some samples twice or leaves some out",
    severity="note",
)


def check(run: Run) -> Iterator[Finding]:
    for place, steps in evaluation.lost_samples(run):
        yield RULE.finding(
            span_at(place),
            "`drop_last=True` leaves the last samples out of the evaluation",
            "leave `drop_last` out where every sample counts",
            scope=place[2],
            trail=steps or (step_at(place, "walked over with gradients off: this is evaluation"),),
        )
    for place, steps, by in evaluation.counted_twice(run):
        message = "the evaluation sampler repeats samples to make the ranks even, and the repeated ones are counted"
        remedy = "cut the data by rank without padding, or drop the repeated samples before counting"
        if by == "gather":
            message = "`gather` keeps the samples that were repeated to fill the last batch"
            remedy = "use `accelerator.gather_for_metrics`, which drops them"
        yield RULE.finding(span_at(place), message, remedy, scope=place[2], trail=steps)
