"""The same ranks communicate on two groups, or in two threads, with no order between them.

What it finds
-------------
Asynchronous calls on two groups that share at least two ranks run at the same time, or a background thread communicates
while the main thread does too.

Why it is bad
-------------
Two ranks may start the two operations in different orders; each then waits for the other in a different communicator.
It depends on timing, so it hangs once a week.

Instead
-------
    one = dist.all_reduce(left, group=first, async_op=True)
    one.wait()                                     # then the next group
    two = dist.all_reduce(right, group=second, async_op=True)

and communicate from one thread only.

Limits
------
Whether the backend orders the operations by itself is not known, therefore `--strict` only.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, Span, Step, crossings, short

RULE = Rule(
    code="DT113",
    slug="crossed-groups",
    family="DT1",
    effect="hang",
    tier="strict",
    since="0.1.0",
    frameworks=("torch",),
    title="communication on two groups with no order between them",
)


def check(run: Run) -> Iterator[Finding]:
    for found in crossings(run):
        event, other = found.event, found.other
        if found.threaded:
            message = f"this thread communicates while the main thread makes {short(other)} with the same ranks"
            remedy = "communicate from one thread, or join the thread before the main thread communicates again"
        else:
            message = f"{short(event)} starts on a second group while {short(other)} still runs on the first"
            remedy = "wait for the work on one group before the same ranks use another group"
        trail = (
            Step.of(other, f"{short(other)} with the same ranks"),
            Step.of(event, "nothing says which comes first"),
        )
        yield RULE.finding(Span(event.path, *event.at), message, remedy, scope=event.function, trail=trail)
