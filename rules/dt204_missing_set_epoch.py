"""Every epoch has the same order because nobody calls `set_epoch`.

What it finds
-------------
An epoch loop over a shuffling DistributedSampler (or a streamed data set) in which `set_epoch` is never called on it:
forgotten, called on another object or on some ranks only, or swallowed by a wrapper that does not hand it on, or by a
sampler that shuffles without it. Also
`itertools.cycle(loader)`, which never asks the sampler again.

Why it is bad
-------------
The sampler draws its order from `seed + epoch`. Without `set_epoch` the epoch stays 0: the same order and the same
partition between ranks in every epoch. Training works and gets worse results.

Instead
-------
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for batch in loader:
            ...

Limits
------
Loops over something else than a loader this run has made are not seen.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, kept_for_nothing, kept_to_itself, sampling, span_at

RULE = Rule(
    code="DT204",
    slug="missing-set-epoch",
    family="DT2",
    effect="wrong",
    tier="default",
    since="0.1.0",
    frameworks=("torch", "datasets"),
    title="every epoch has the same order because nobody calls `set_epoch`",
    severity="warning",
)


def check(run: Run) -> Iterator[Finding]:
    for place, steps in sampling.same_own_order_every_epoch(run):
        yield RULE.finding(
            span_at(place),
            "no epoch calls the `set_epoch` that this data's order depends on, so all of them have the same order",
            "call `set_epoch(epoch)` at the start of every epoch",
            scope=place[2],
            trail=steps,
        )
    for place, steps in sampling.cycled(run):
        yield RULE.finding(
            span_at(place),
            "`cycle` gives the batches of the first pass again in every pass, in the same order",
            "walk over the loader anew in each pass, after `sampler.set_epoch(epoch)`",
            scope=place[2],
            trail=steps,
        )
    for method, inner, steps in kept_to_itself(run):
        yield RULE.finding(
            run.span(method.path, method.node.at),
            f"`set_epoch` keeps the epoch to itself: `{inner}` below it is never told, so its order stays",
            "hand it on: call `set_epoch(epoch)` of what this data set walks over",
            scope=method.name,
            trail=steps,
        )
    for method, steps in kept_for_nothing(run):
        yield RULE.finding(
            run.span(method.path, method.node.at),
            "`set_epoch` keeps the epoch, but nobody asks for it: every epoch is shuffled with the same seed",
            "add the epoch to the seed of the shuffle",
            scope=method.name,
            trail=steps,
        )
    for place, steps in sampling.same_stream_every_epoch(run):
        yield RULE.finding(
            span_at(place),
            "no epoch calls `set_epoch` on the shuffled stream, so all of them have the same order",
            "call `dataset.set_epoch(epoch)` at the start of every epoch",
            scope=place[2],
            trail=steps,
        )
    for place, steps, instead in sampling.same_order_every_epoch(run):
        missing = {
            "same": "`set_epoch` is told the same number in every epoch",
            "some": "some ranks never call `set_epoch`, so their order stays and their samples are those of others",
            "another": "no epoch calls `set_epoch` on the training sampler: it is called on another object",
        }.get(instead, "no epoch calls `set_epoch` on the training sampler")
        yield RULE.finding(
            span_at(place),
            missing if instead == "some" else f"{missing}, so all of them have the same order",
            "call `sampler.set_epoch(epoch)` at the start of every epoch",
            scope=place[2],
            trail=steps,
        )
