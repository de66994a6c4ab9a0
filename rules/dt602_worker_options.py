"""Loader options that need workers, without workers.

What it finds
-------------
`persistent_workers`, `prefetch_factor`, `timeout` or `multiprocessing_context` are given to a DataLoader with
`num_workers=0`.

Why it is bad
-------------
torch refuses the combination: ValueError when the loader is made, AssertionError when it is iterated (`timeout`). On
a cluster that is after all nodes were allocated.

Instead
-------
    loader = DataLoader(dataset, num_workers=n, persistent_workers=n > 0)

Limits
------
Of numbers of workers that come from the command line only the default is known, where no branch asks for it.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, Step, refused

RULE = Rule(
    code="DT602",
    slug="worker-options",
    family="DT6",
    effect="crash",
    tier="default",
    since="0.1.0",
    frameworks=("torch",),
    title="loader options that need workers, without workers",
)


def check(run: Run) -> Iterator[Finding]:
    for met, option, when, steps in refused(run):
        event = met.event
        given = event.extra["call"].expression(option.partition("=")[0])
        at = getattr(given, "at", None) or event.at
        yield RULE.finding(
            run.span(event.path, event.at),
            f"`{option}` needs workers, and this loader has none: {when}",
            "give `num_workers` a number above zero, or make the option depend on it (`persistent_workers=n > 0`)",
            scope=event.function,
            trail=(
                *steps,
                Step(event.path, at[0], f"`{option}` with num_workers=0"),
            ),
        )
