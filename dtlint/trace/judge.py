"""What does a traced run say about one finding? Confirmed, refuted, not reached, or nothing that can be relied on."""

from __future__ import annotations

import os

from dtlint.findings import Finding, Verdict
from dtlint.trace import locate
from dtlint.trace.model import Event, Place, Result
from dtlint.trace.outcome import GRADIENTS

PARTED = ("mismatch", "deadlock")
# one run can only refute a claim about who comes to a call; not one about what else might happen, or with other data
REFUTABLE = ("DT101", "DT102", "DT108")


def _same(place: Place, path: str, first: int, last: int) -> bool:
    return bool(place.path) and first <= place.line <= last and os.path.realpath(place.path) == path


def own_places(finding: Finding, path: str) -> set[tuple[str, int]]:
    """The lines of the finding's statement, without its trail."""
    first, last = locate.span_of(path, finding.span.line)
    return {(path, number) for number in range(first, last + 1)}


def points_at(finding: Finding, path: str, result: Result) -> bool:
    """Whether the calls that cannot finish, or the ranks that left, are the ones the finding speaks of."""
    if calls_of(finding, path, result):
        return True
    if finding.code == "DT117" and (not result.outcome.events or result.outcome.reason == GRADIENTS):
        return True  # torch itself compared the models, or the gradients, of the ranks
    # the exit of some ranks: the line itself, or a way out below the decision on it
    first, last = locate.span_of(path, finding.span.line)
    covered = result.covered.get(path, {})
    exits = (number for number in range(first, last + 1) if locate.leaves(path, number))
    return any(0 < len(covered.get(number, ())) < result.ranks for number in exits)


def calls_of(finding: Finding, path: str, result: Result) -> list[Event]:
    """Those of the calls that cannot finish of which the finding speaks."""
    first, last = locate.span_of(path, finding.span.line)
    root = _root(finding, path)
    steps = {(os.path.realpath(os.path.join(root, step.path)), step.line) for step in finding.trail}
    return [
        event
        for event in (*result.involved, *answered_elsewhere(result))
        if any(_same(place, path, first, last) for place in (*event.stack, event.place))
        # a step of the trail counts only as the call itself: every stack passes through main()
        or event.place.real in steps
        or _under_decision(event, steps, result)
    ]


def _under_decision(event: Event, steps: set[tuple[str, int]], result: Result) -> bool:
    """A decision of the trail that only some ranks took, and the call is made from what it decides about."""
    for place in event.stack:
        path = os.path.realpath(place.path)
        covered = result.covered.get(path, {})
        for guard in locate.guards_of(path, place.line):
            if (path, guard.line) in steps and guard.taken <= place.line:
                if 0 < len(covered.get(guard.taken, ())) < len(covered.get(guard.line, ())):
                    return True
    return False


def answered_elsewhere(result: Result) -> list[Event]:
    """The first call that only some ranks make and that others answered with a call of another line, meant for later.

    Lines that stand for each other (each made by ranks that do not make the other) are a meeting in two places.
    """
    makers: dict[Place, set[int]] = {}
    meetings: dict[tuple[str, int], list[Event]] = {}
    for event in result.events:
        makers.setdefault(event.place, set()).add(event.rank)
        if event.position:
            meetings.setdefault((event.group, event.position), []).append(event)
    for calls in meetings.values():
        ranks = {event.rank for event in calls}
        alone = [event for event in calls if not makers[event.place] >= ranks]
        if alone and len(alone) < len(calls):
            return alone
    return []


def _root(finding: Finding, path: str) -> str:
    """The directory that the finding's relative paths start from."""
    relative = finding.span.path
    return path[: -len(relative)] if path.endswith(relative) else os.path.dirname(path)


def verdict(finding: Finding, path: str, result: Result) -> Verdict:
    """Judge the plain run of a script."""
    outcome, line = result.outcome, finding.span.line
    first, last = locate.span_of(path, line)
    covered = result.covered.get(path, {})
    reached = any(first <= number <= last for number in covered)
    if outcome.kind in PARTED:
        if not points_at(finding, path, result):
            if not reached:
                return Verdict("not-reached", "the ranks part before this line", "run")
            return Verdict("inconclusive", f"other-divergence: {outcome.sentence}", "run")
        return Verdict("confirmed", outcome.sentence, "run")
    if outcome.kind == "inconclusive":
        return Verdict("inconclusive", f"{outcome.reason}: {outcome.sentence}"[:300], "run")
    if not reached:
        return Verdict("not-reached", "the run ended without executing this line", "run")
    return _agreed(finding, path, first, last, result)


def _agreed(finding: Finding, path: str, first: int, last: int, result: Result) -> Verdict:
    """The ranks agreed. That refutes a finding only when they came here together and both sides of the guard ran."""
    members: set[int] = set()
    makers: set[int] = set()
    for event in result.events:
        if any(_same(place, path, first, last) for place in (*event.stack, event.place)):
            makers.add(event.rank)
            members.update(event.members)
    if not makers:
        return Verdict("inconclusive", "no-call: the line ran, but nothing communicated there", "run")
    if makers != members:
        return Verdict("inconclusive", "one-side-only: only some ranks came here, and none was missed", "run")
    guards = locate.guards_of(path, first)
    if finding.code not in REFUTABLE or not guards:
        return Verdict(
            "inconclusive", "agreed: the ranks made this call together in this run; others may differ", "run"
        )
    covered = result.covered.get(path, {})
    for guard in guards:
        if not guard.other or guard.other not in covered or guard.taken not in covered:
            return Verdict("inconclusive", f"one-side-only: the other side of line {guard.line} was not seen", "run")
    return Verdict("refuted", "all ranks made this call together, and both sides of the decision ran", "run")


def verdict_of_failure(baseline: Result, failed: Result, how: str = "fail here") -> Verdict:
    """Judge a run in which one rank was made to fail, against the same run without."""
    if baseline.outcome.kind in PARTED:
        return Verdict("inconclusive", f"other-divergence: {baseline.outcome.sentence}", "run")
    outcome = failed.outcome
    if not any(fact.get("failed") for fact in failed.facts):
        return Verdict("not-reached", "the line where a rank should fail was not executed", "run")
    if outcome.kind in PARTED:
        return Verdict("confirmed", f"with rank 1 made to {how}: {outcome.sentence}", "run")
    if outcome.reason == "injected-failure":
        return Verdict("refuted", f"with rank 1 made to {how}, the failure ends that rank, and so the job", "run")
    if outcome.kind == "agreed":
        return Verdict("inconclusive", f"agreed: with rank 1 made to {how} once, the ranks still agreed", "run")
    return Verdict("inconclusive", f"{outcome.reason}: {outcome.sentence}"[:300], "run")


def verdict_of_decision(baseline: Result, flipped: Result) -> Verdict:
    """Judge a run in which one rank was made to decide otherwise, once."""
    if baseline.outcome.kind in PARTED:
        return Verdict("inconclusive", f"other-divergence: {baseline.outcome.sentence}", "run")
    outcome = flipped.outcome
    if not any(fact.get("flipped") for fact in flipped.facts):
        return Verdict("not-reached", "the decision was not taken in this run", "run")
    if outcome.kind in PARTED:
        return Verdict("confirmed", f"with rank 1 deciding otherwise here: {outcome.sentence}", "run")
    if outcome.kind == "agreed":
        return Verdict("inconclusive", "with rank 1 deciding otherwise once, the ranks still agreed", "run")
    return Verdict("inconclusive", f"{outcome.reason}: {outcome.sentence}"[:300], "run")
