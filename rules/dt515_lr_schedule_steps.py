"""A learning rate schedule of the wrong length.

What it finds
-------------
The length of a schedule is counted from the loader before it is divided among the ranks, from all samples of the data
set, in micro-batches although it steps once per accumulation window, or multiplied by the number of ranks once too
often. The same for a schedule that Lightning steps with every batch of loaders it divides.

Why it is bad
-------------
The learning rate is too high or too low for most of the training: with eight ranks, a schedule counted before
sharding is at an eighth of its way when the job ends.

Instead
-------
    loader = accelerator.prepare(loader)
    schedule = LinearLR(optimizer, total_iters=len(loader) * epochs // accumulate)

Limits
------
A schedule that accelerate prepares steps once for each process: it has to count the batches of all of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, Step, before_the_trainer, lifecycle, options_of, schedules

RULE = Rule(
    code="DT515",
    slug="lr-schedule-steps",
    family="DT5",
    effect="wrong",
    tier="default",
    since="0.1.0",
    frameworks=(
        "torch",
        "lightning",
        "accelerate",
        "transformers",
    ),
    title="a learning rate schedule of the wrong length",
)


def check(run: Run) -> Iterator[Finding]:
    for found in (*schedules.wrong_lengths(run), *before_the_trainer(run)):
        event = found.met.event
        yield RULE.finding(
            run.span(event.path, event.at),
            found.message,
            found.remedy,
            scope=event.function,
            trail=(
                *lifecycle.way_to(found.met),
                Step.of(event, found.why),
                *options_of(run, (event.path, event.at, event.function), schedules.told_by(event)),
            ),
        )
