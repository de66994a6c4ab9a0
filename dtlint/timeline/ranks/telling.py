"""From a divergence to a finding: what every rule of family DT1 does the same way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.findings import Finding, Span
from dtlint.machine.lanes import name_lanes
from dtlint.machine.library.meeting.evidence import hosts_meet, without_a_group
from dtlint.machine.logs import CAUGHT, EXITS, FAILS, Attempt, Call, Choice, decisions
from dtlint.machine.run import Run
from dtlint.machine.walks import walk
from dtlint.timeline.ranks.attempts import failures
from dtlint.timeline.ranks.classify import code_of, is_creation, shown, within
from dtlint.timeline.ranks.divergence import divergences
from dtlint.timeline.ranks.explain import Site, calls_below, lanes_of, site_under, timeline_of, trail_of
from dtlint.timeline.ranks.parting import Divergence
from dtlint.timeline.ranks.polling import polled
from dtlint.timeline.ranks.when_asked import made_when_asked


def diverging(run: Run, code: str) -> Iterator[tuple[Divergence, str]]:
    """The divergences of a run that answer the question `code` asks, with their tier."""
    failed = [] if without_a_group(run) else failures(run)  # nobody waits for who fails in a program of one process
    handlers = {(one.attempt.path, one.handler.at) for one in failed if one.attempt and one.handler}
    for divergence in (*divergences(run), *failed):
        found, tier = code_of(run, divergence)
        local = divergence.shape == "local" and (inside(divergence, handlers) or thrown(divergence, failed))
        if found != code or local or made_when_asked(run, divergence.event):
            continue
        if hosts_meet(run, divergence.event):
            yield divergence, "default" if shown(run, divergence) and polled(run, divergence) else tier


def ends_the_job(run: Run, divergence: Divergence) -> bool:
    """A rank that raises, or ends with a status of failure, and nobody takes it well: most launchers then end the
    others, so that they do not wait forever."""
    decision = divergence.decision
    if decision is None or (decision.exit_word or divergence.way_out) not in FAILS:
        return False
    return not any(
        isinstance(above, Attempt) and any(handler.exit not in FAILS | EXITS for handler in above.handlers)
        for node, path in run.walk()
        if isinstance(node, Choice) and node.decision.place == decision.place
        for above in path
    )


def thrown(divergence: Divergence, failed: list[Divergence]) -> bool:
    """`if not finite(loss): raise …` for a handler of the same function, of which is told what a rank misses that comes
    to it alone? It leaves where the handler leaves, or goes on behind it."""
    choice = divergence.choice
    if choice is None:
        return False
    place, left = choice.decision.place, choice.decision.exit_at
    for one in failed:
        if one.attempt is None or one.attempt.path != choice.decision.path:
            continue
        if left is not None and one.handler is not None and within(left, one.handler.at):
            return True
        if CAUGHT in choice.exits and any(
            isinstance(node, Choice) and node.decision.place == place for node, _ in walk(one.attempt.body)
        ):
            return True
    return False


def inside(divergence: Divergence, handlers: set[tuple[str, Any]]) -> bool:
    """Is it a decision about the exception, in a handler that is told of anyway, or on what that one left behind?"""
    if not handlers or divergence.choice is None or divergence.cause is None or divergence.cause.kind != "exception":
        return False
    caught = next(iter(divergence.cause.steps()), None)
    if caught is not None and any((caught.path, caught.line) == (path, at[0]) for path, at in handlers):
        return True  # the others wait in what the rank that failed has left out before
    return any(one.kind == "handler" and (one.path, one.at) in handlers for one in decisions(divergence.choice.guards))


def place_of(divergence: Divergence) -> Site:
    """The line an author would edit."""
    decision, event = divergence.decision, divergence.event
    if divergence.shape == "handler":
        retried = handler_call(divergence) if event.implicit else None
        if retried is not None:
            return Site(retried.path, retried.at, retried.caller)
        return site_under(None, event, divergence.path)
    if divergence.shape == "swallowed" and divergence.attempt is not None:
        at = divergence.handler.at if divergence.handler is not None else divergence.attempt.at
        return Site(divergence.attempt.path, at, divergence.attempt.function)
    if divergence.shape in ("local", "trip") and decision is not None:
        return Site(decision.path, decision.at, decision.function)
    if divergence.shape == "exit" and decision is not None:
        return Site(decision.path, decision.exit_at or decision.at, decision.function)
    return site_under(
        decision if divergence.shape != "argument" or asked_apart(divergence) else None, event, divergence.path
    )


def asked_apart(divergence: Divergence) -> bool:
    """Groups that one line makes, of what a branch elsewhere asks of it: that branch is at fault."""
    other = divergence.other
    return (
        other is not None
        and is_creation(divergence)
        and (other.path, other.at) == (divergence.event.path, divergence.event.at)
    )


def handler_call(divergence: Divergence) -> Call | None:
    """The call in the handler itself that leads to what communicates without saying so. A function that somebody else
    runs is called by no line of the program: it is the handler."""
    attempt = divergence.attempt
    start = (attempt.path, attempt.at) if attempt is not None else None
    return next((node for node in calls_below(divergence) if (node.path, node.at) != start), None)


def told(rule: Any, run: Run, divergence: Divergence, tier: str, message: str, remedy: str, **details: Any) -> Finding:
    site = place_of(divergence)
    found: Finding = rule.finding(
        Span(site.path, *site.at),
        message,
        remedy,
        tier=tier,
        scope=site.scope,
        guard_text=divergence.decision.text if divergence.decision is not None else "",
        trail=trail_of(divergence, site),
        timeline=timeline_of(run, divergence),
        lanes=lanes_of(run, divergence),
        **details,
    )
    return found


def who(run: Run, mask: int) -> str:
    return name_lanes(mask, run.world)


def acting(run: Run, mask: int, verb: str) -> str:
    """`rank 0 makes`, `ranks 1-3 make`"""
    return f"{who(run, mask)} {verb}{'s' if mask.bit_count() == 1 else ''}"


def waiting(run: Run, divergence: Divergence) -> str:
    """Those who make the call; which ranks they are, a decision that nobody can compute does not say."""
    return "a part of the ranks" if divergence.shape == "local" else who(run, divergence.here)


def missing(run: Run, divergence: Divergence) -> str:
    return "the others" if divergence.shape == "local" else who(run, divergence.absent)
