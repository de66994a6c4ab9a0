"""A failure leaves a manager or a heartbeat thread alive.

What it finds
-------------
A manager is shut down, or a thread that turns for ever is stopped, on the way without failure only: not in a `finally`,
not by a `with`.

Why it is bad
-------------
An exception ends the training loop but not the thread. The process stays, its heartbeat goes on, and the others keep
waiting for a member that does nothing any more.

Instead
-------
    manager = Manager(...)
    try:
        train(model, optimizer, manager)
    finally:
        manager.shutdown()

Limits
------
Daemon threads end with the process and are left alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.api import Finding, Rule, Run, Span, left_behind

RULE = Rule(
    code="DT805",
    slug="left-behind-threads",
    family="DT8",
    effect="hang",
    tier="default",
    since="0.1.0",
    frameworks=("torchft",),
    title="a failure leaves a manager or a heartbeat thread alive",
)


def check(run: Run) -> Iterator[Finding]:
    start: Any
    for start, what, trail in left_behind(run):
        message = f"an exception on the way leaves this {what} alive, and the other ranks wait for a dead member"
        remedy = "shut it down in a `finally` (or use it in a `with`), so that it ends with the work on every way"
        scope = getattr(start, "function", "")
        yield RULE.finding(Span(start.path, *start.at), message, remedy, scope=scope, trail=trail)
