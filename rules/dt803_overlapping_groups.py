"""Ranks that share two managers may use them in different orders.

What it finds
-------------
Two ranks are together in more than one manager (or level), and the order of the managers' collectives depends on the
rank, or two threads drive them at the same time: two managers, or a manager beside the gradients of a wrapped model.

Why it is bad
-------------
One rank waits in the first manager for a rank that waits in the second for it: a deadlock that depends on timing.

Instead
-------
    for manager in managers:                # one order for everybody, one thread
        manager.start_quorum()
        manager.allreduce(tensors[manager]).wait()

Limits
------
Orders are compared call by call as far as the managers are known.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, Span, Step, disordered

RULE = Rule(
    code="DT803",
    slug="overlapping-groups",
    family="DT8",
    effect="hang",
    tier="default",
    since="0.1.0",
    frameworks=("torchft",),
    title="ranks share two managers and may use them in different orders",
)


def check(run: Run) -> Iterator[Finding]:
    for event, told, steps in disordered(run):
        message = f"{told}: ranks that share both may wait for each other crosswise"
        remedy = "use the managers in one order on all ranks and from one thread"
        trail = (*steps, Step.of(event, told))
        yield RULE.finding(Span(event.path, *event.at), message, remedy, scope=event.function, trail=trail)
