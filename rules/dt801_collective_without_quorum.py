"""A collective of a fault-tolerance manager with no quorum before it.

What it finds
-------------
`manager.allreduce` (or another collective of a manager, or the backward pass of a model it wraps) is reached on a way
on which this manager has not started a quorum since the last commit; or a quorum is waited for that nobody has started.

Why it is bad
-------------
The manager does not know who takes part: it fails, waits for a quorum nobody asked for, or reduces with the members of
the last step, some of which are gone.

Instead
-------
    manager.start_quorum()                  # once per step, before the first collective
    manager.allreduce(gradient).wait()
    if manager.should_commit():
        optimizer.step()

Limits
------
Managers that come from outside the analysed program are left alone: their quorum may be started there. So is a method
that nobody calls: whoever does may have called another one first.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, Span, Step, review

RULE = Rule(
    code="DT801",
    slug="collective-without-quorum",
    family="DT8",
    effect="crash",
    tier="default",
    since="0.1.0",
    frameworks=("torchft",),
    title="a manager's collective with no quorum before it",
)


def check(run: Run) -> Iterator[Finding]:
    found = review(run) if run.entry.kind != "function" or "." not in run.entry.name else None
    for event, manager, way in found.early if found is not None else ():
        name = event.api.rpartition(".")[2]
        whose = "of this manager" if event.op in ("managed", "quorum-awaited") else "of a model that a manager reduces"
        message = f"`{name}()` {whose} is reached without a quorum for this step"
        remedy = "call `start_quorum()` of the same manager at the start of every step, on every way to here"
        trail = (
            *((Step(manager.path, manager.at[0], "the manager is made here"),) if manager.at is not None else ()),
            *way,
            Step.of(event, "no `start_quorum()` of it on some way to here"),
        )
        yield RULE.finding(Span(event.path, *event.at), message, remedy, scope=event.function, trail=trail)
