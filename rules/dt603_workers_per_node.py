"""As many loader workers as cores, in every rank.

What it finds
-------------
The number of loader workers is the number of cores of the node, and every rank of the node starts as many.

Why it is bad
-------------
With eight ranks there are eight workers for each core. They take the time slices and the memory from one another and
from the ranks.

Instead
-------
    workers = os.cpu_count() // int(os.environ["LOCAL_WORLD_SIZE"])

Limits
------
Counts that are divided or bounded are fine.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, workers

RULE = Rule(
    code="DT603",
    slug="workers-per-node",
    family="DT6",
    effect="waste",
    tier="strict",
    since="0.1.0",
    frameworks=("torch",),
    title="as many loader workers as cores, in every rank",
)


def check(run: Run) -> Iterator[Finding]:
    for event, trail in workers.all_cores(run):
        yield RULE.finding(
            run.span(event.path, event.at),
            "every rank of the node starts one worker per core of the whole node",
            'divide by the ranks of the node: `os.cpu_count() // int(os.environ["LOCAL_WORLD_SIZE"])`',
            scope=event.function,
            trail=trail,
        )
