"""The result of a reduce or gather is used on ranks that do not have it.

What it finds
-------------
`reduce`, `gather` and `gather_object` leave their result on the destination only. Another rank prints it, decides on it
or stores what it computed from it. Also what only the first rank works out, such as the weights of a loss or the mean
of the data, and nobody broadcasts: the others learn with what the variable held before.

Why it is bad
-------------
Elsewhere the tensor holds a partial sum or whatever it held before, and the list is None or stale: the ranks go on with
different numbers, or one of them fails.

Instead
-------
    dist.all_reduce(mean)                # everybody gets the result
    rate = 0.01 / (1.0 + mean.item() / world)

or use the result under `if rank == 0` only, and broadcast what follows from it.

Limits
------
Computing with the value is not reported as long as nothing comes of it on those ranks.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.api import (
    Finding,
    Rule,
    Run,
    Span,
    Step,
    matters,
    on_a_second_machine_only,
    on_the_first_device,
    recorded,
    who,
)

RULE = Rule(
    code="DT116",
    slug="result-off-root",
    family="DT1",
    effect="wrong",
    tier="default",
    since="0.1.0",
    frameworks=("torch",),
    title="a result that only the destination has is used elsewhere",
)


def check(run: Run) -> Iterator[Finding]:
    for event, path in recorded(run, "off-root-use"):
        if event.extra["decides"] and not matters(run, event):
            continue
        if on_the_first_device(run, event, path) or on_a_second_machine_only(run, event.mask):
            continue
        file, at, scope = event.extra["site"]
        name = event.api.rpartition(".")[2]
        holders = who(run, event.extra["result"].holders)
        message = f"the result of `{name}()` is used on {who(run, event.mask)}, and only {holders} got it"
        remedy = f"use the all-variant of `{name}()` or broadcast the result, or keep its use to {holders}"
        yield RULE.finding(Span(file, *at), message, remedy, scope=scope, trail=event.extra["steps"])
    for event, _ in recorded(run, "computed-alone"):
        value: Any = event.subject
        others, name = who(run, event.mask), event.api.rpartition(".")[2]
        yield RULE.finding(
            run.span(event.path, event.at),
            f"`{name}()` is given what only {who(run, run.world.full & ~event.mask)} has computed: {others} use the "
            "value it had before",
            "compute it on all ranks alike, or broadcast it",
            scope=event.function,
            trail=(*value.cause.steps(), Step.of(event, f"{others} have the first value here")),
        )
