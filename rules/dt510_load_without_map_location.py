"""Every rank loads onto the device the state was saved from.

What it finds
-------------
`torch.load` without `map_location`, or with the same device for all (`map_location="cuda:0"`), in the resume path of a
distributed trainer; or a helper that takes `map_location` and does not pass it on.

Why it is bad
-------------
Tensors go back to the device they were saved from: all ranks of a node load their copy onto GPU 0, which runs out of
memory, or keeps a context of each process.

Instead
-------
    state = torch.load(path, map_location="cpu")

Limits
------
Silent for loads of one rank only, for `mmap=True`, and in programs of one process. Loads whose use is not seen are
reported in the strict tier.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, Step, unmapped_loads

RULE = Rule(
    code="DT510",
    slug="load-without-map-location",
    family="DT5",
    effect="waste",
    tier="default",
    since="0.1.0",
    frameworks=("torch",),
    title="every rank loads onto the device the state was saved from",
)


def check(run: Run) -> Iterator[Finding]:
    for event, shown in unmapped_loads.unmapped_loads(run):
        ignored = event.extra.get("not forwarded")
        fixed = unmapped_loads.one_for_all(event.extra["call"])
        device = "the same device of its node" if fixed else "the device it was saved from"
        yield RULE.finding(
            run.span(event.path, event.at),
            "`map_location` is accepted and not passed on" if ignored else f"every rank loads this state onto {device}",
            'pass `map_location`: this rank\'s device, or "cpu"',
            tier="default" if shown else "strict",
            scope=event.function,
            trail=(Step.of(event, "`torch.load` does not go to this rank's device"),),
        )
