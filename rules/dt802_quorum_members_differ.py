"""Only some members of a manager reach its collective.

What it finds
-------------
A collective of a manager is made under a condition of the rank, the root or the host, while other ranks that made the
same manager never come, or wait in another manager: inner and outer level mixed up.

Why it is bad
-------------
The ranks inside wait for members that wait elsewhere; the managers time out, drop each other from the quorum, and the
job limps or stops.

Instead
-------
    manager.allreduce(delta).wait()         # every member
    if rank == 0:
        print(delta.sum().item())           # what one rank does with it

or make the outer manager on the ranks only that use it.

Limits
------
Who the members are is told from who makes the manager.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, Span, Step, apart, does, who

RULE = Rule(
    code="DT802",
    slug="quorum-members-differ",
    family="DT8",
    effect="hang",
    tier="default",
    since="0.1.0",
    frameworks=("torchft",),
    title="only some members of a manager reach its collective",
)


def check(run: Run) -> Iterator[Finding]:
    for found in apart(run):
        event, decision = found.event, found.decision
        name = event.api.rpartition(".")[2]
        waits = does(who(run, found.here), "waits", "wait")
        gone = does(who(run, found.absent), "never comes", "never come")
        message = f"{waits} in `{name}()` of a manager, {gone}"
        remedy = "let every member of the manager make the call, and keep only the work of one rank under the condition"
        steps = decision.cause.steps() if decision.cause is not None else ()
        trail = (
            *steps,
            Step.of(decision, f"decides on `{decision.text}`"),
            Step.of(event, "a collective of all who made the manager"),
        )
        yield RULE.finding(
            Span(event.path, *event.at), message, remedy, scope=event.function, guard_text=decision.text, trail=trail
        )
