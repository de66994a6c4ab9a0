"""State set on a data set whose workers hold their own copy.

What it finds
-------------
The epoch, the step or a difficulty is written onto the data set of a loader with workers, after the workers were
started: between epochs with `persistent_workers=True`, or inside the loop over the loader. Or the data set counts its
epochs itself, in workers that are not persistent, and seeds its order with the count.

Why it is bad
-------------
Workers got their copy of the data set when the iteration began. The new value never reaches them; every epoch is the
same, on every rank. What a worker counts is lost with it: the next one gets the copy that was never counted.

Instead
-------
    self.level = multiprocessing.Value("i", 0)     # shared with the workers
    loader = DataLoader(..., persistent_workers=False)

Limits
------
Only attributes that `__getitem__` or `__iter__` reads, on data sets of the project.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, Step, lost_counts, span_at, stale_writes

RULE = Rule(
    code="DT607",
    slug="worker-state",
    family="DT6",
    effect="wrong",
    tier="default",
    since="0.1.0",
    frameworks=("torch",),
    title="state set on a data set whose workers hold their own copy",
)


def check(run: Run) -> Iterator[Finding]:
    for stale in stale_writes(run):
        path, at, function = stale.first
        why = "the workers are persistent" if stale.persistent else "the workers run already"
        yield RULE.finding(
            run.span(path, at),
            f"`{stale.attribute}` is set on the data set of this process only: {why} and keep their own copy",
            "keep the value in shared memory (multiprocessing.Value, a shared tensor), or start the workers anew",
            scope=function,
            trail=(
                Step(path, at[0], "the parent's data set is changed"),
                *(Step.of(call, f"calls `{call.function}`") for call in stale.calls[1:]),
                Step.of(stale.write, f"`{stale.attribute}` is written; workers read their copy"),
            ),
        )
    for lost in lost_counts(run):
        place = lost.place
        yield RULE.finding(
            span_at(place),
            f"`{lost.name}` is counted in the workers, which start anew in every epoch: each of them repeats the first",
            "pass `persistent_workers=True`, or tell the data set the epoch before each of them",
            scope=place[2],
            trail=(
                *((lost.step,) if lost.step is not None else ()),
                Step(place[0], place[1][0], "workers that end with the epoch"),
            ),
        )
