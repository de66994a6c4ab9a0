"""A resumed run sees data twice or skips data it has not seen.

What it finds
-------------
Batches skipped by `skip_first_batches` and again by hand, a stateful loader whose state is not in the checkpoint, and a
checkpoint written in the middle of an epoch from which the epoch is begun anew.

Why it is bad
-------------
After every restart the same first batches are trained on again (or twice as many are left out). On a cluster with many
restarts the end of the epoch is hardly ever seen.

Instead
-------
    state["loader"] = loader.state_dict()
    ...
    loader.load_state_dict(state["loader"])

or skip the batches that are done: `itertools.islice(loader, done, None)`.

Limits
------
What a checkpoint holds is known only where it is put together in the program.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, evaluation, span_at

RULE = Rule(
    code="DT211",
    slug="resume-repeats-data",
    family="DT2",
    effect="wrong",
    tier="strict",
    since="0.1.0",
    frameworks=("torch", "accelerate", "torchdata"),
    title="a resumed run sees data twice or skips data it has not seen",
)


def check(run: Run) -> Iterator[Finding]:
    answers = (
        (evaluation.skipped_twice, "the batches that are done are skipped twice", "skip them once"),
        (
            evaluation.state_left_out,
            "the loader's position is not part of the checkpoint, so a resumed run begins its data anew",
            "save `loader.state_dict()` and load it again",
        ),
        (
            evaluation.begun_anew,
            "the checkpoint is written within the epoch, but a resumed epoch begins with its first batch",
            "skip the batches that are done, for example `itertools.islice(loader, done, None)`",
        ),
    )
    for question, message, remedy in answers:
        for place, steps in question(run):
            yield RULE.finding(span_at(place), message, remedy, scope=place[2], trail=steps)
