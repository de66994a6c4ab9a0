"""Nobody asks the manager whether the step is good, or nobody listens to the answer.

What it finds
-------------
`should_commit()` stands alone, its answer goes into a name nobody reads or is only logged and counted, the optimizer
steps after a manager's collective without the question, or a script reduces by a manager that it never asks.

Why it is bad
-------------
When a member fails in the middle of a step, the others go on with a half-reduced gradient: the replicas drift apart and
nothing says so.

Instead
-------
    if manager.should_commit():
        optimizer.step()

Limits
------
Wrapped optimizers (`torchft.Optimizer`) ask by themselves and are left alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, Span, Step, never_asked, recorded, review

RULE = Rule(
    code="DT804",
    slug="commit-ignored",
    family="DT8",
    effect="wrong",
    tier="default",
    since="0.1.0",
    frameworks=("torchft",),
    title="nobody asks whether the step is good, or listens to the answer",
)


def check(run: Run) -> Iterator[Finding]:
    remedy = "step only `if manager.should_commit():`"
    for event, _ in recorded(run, "answer-dropped"):
        message = "the answer of `should_commit()` is not used: a failed step is applied all the same"
        asked = Step.of(event, "asked here, and the answer is dropped")
        yield RULE.finding(Span(event.path, *event.at), message, remedy, scope=event.function, trail=(asked,))
    found = review(run)
    stepped = [question.extra["call"] for _, question, _ in found.anyway] if found is not None else []
    for event, _ in recorded(run, "answer-told"):
        if event.extra["call"] not in stepped:
            message = "the answer of `should_commit()` is only told to people: a failed step is applied all the same"
            asked = Step.of(event, "asked here, and the answer decides nothing")
            yield RULE.finding(Span(event.path, *event.at), message, remedy, scope=event.function, trail=(asked,))
    for event, question, way in found.anyway if found is not None else ():
        message = "the optimizer steps whatever `should_commit()` has answered"
        trail = (
            Step.of(question, "asked here, and the answer decides nothing"),
            *way,
            Step.of(event, "applied on every way"),
        )
        yield RULE.finding(Span(event.path, *event.at), message, remedy, scope=event.function, trail=trail)
    for event, reduced, way in found.unheard if found is not None else ():
        message = "the optimizer steps without asking `should_commit()` first"
        trail = (
            Step.of(reduced, "reduced by a manager that may have lost a member"),
            *way,
            Step.of(event, "applied without the question"),
        )
        yield RULE.finding(Span(event.path, *event.at), message, remedy, scope=event.function, trail=trail)
    for event, way in never_asked(found) if found is not None and run.entry.kind == "script" else ():
        message = "what this manager reduces is used without ever asking it `should_commit()`"
        trail = (*way, Step.of(event, "reduced, and nobody asks whether all members took part"))
        yield RULE.finding(Span(event.path, *event.at), message, remedy, scope=event.function, trail=trail)
