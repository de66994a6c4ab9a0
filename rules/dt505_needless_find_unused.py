"""A search for unused parameters that finds none.

What it finds
-------------
`find_unused_parameters=True` around a model that has no conditional path, or together with `static_graph=True`.

Why it is bad
-------------
In every step each rank walks the whole graph after the forward pass, before the reduction can start.

Instead
-------
    model = DDP(network, device_ids=[local_rank])

Limits
------
Told of chains of torch's own layers, and of classes whose parts are all known and called in every forward pass without
a condition; what a class keeps as bare parameters, or got from somewhere unknown, is not followed.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, Step, searched_in_vain

RULE = Rule(
    code="DT505",
    slug="needless-find-unused",
    family="DT5",
    effect="waste",
    tier="strict",
    since="0.1.0",
    frameworks=("torch",),
    title="a search for unused parameters that finds none",
)


def check(run: Run) -> Iterator[Finding]:
    for met, why in searched_in_vain.needless_searches(run):
        event = met.event
        yield RULE.finding(
            run.span(event.path, event.at),
            f"`find_unused_parameters=True` walks the graph in every step for nothing: {why}",
            "leave the option out",
            scope=event.function,
            trail=(Step.of(event, why),),
        )
