"""Which finding of `check` explains what a job did? Call sites of dumps and logs against lines and trails."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from dtlint.findings import Finding
from dtlint.trace.model import Event, Place, Result


def common_tail(first: str, second: str) -> int:
    """How many path components two paths share at their ends: the job ran on another machine."""
    count = 0
    for one, other in zip(reversed(PurePosixPath(first).parts), reversed(PurePosixPath(second).parts)):
        if one != other:
            break
        count += 1
    return count


def _touches(finding: Finding, place: Place) -> int:
    """0: not at all. More for more of the path in common, and for the line itself rather than a step of the trail."""
    best = 0
    for rank, (path, line) in enumerate(
        [(finding.span.path, finding.span.line), *((step.path, step.line) for step in finding.trail)]
    ):
        tail = common_tail(path, place.path)
        if tail and line == place.line:
            best = max(best, 2 * tail + (rank == 0))
    return best


def explaining(result: Result, findings: Sequence[Finding]) -> list[Finding]:
    """The findings at the calls that did not finish, best first; by the name of the call when no place is known."""
    events = result.involved
    scored = []
    for finding in findings:
        score = max((_touches(finding, place) for event in events for place in (event.place, *event.stack)), default=0)
        if not score and not any(event.place.path for event in events):
            score = int(any(_names(finding, event) for event in events))
        if score:
            scored.append((-score, finding.sort_key, finding))
    return [finding for _, _, finding in sorted(scored, key=lambda item: item[:2])]


def _names(finding: Finding, event: Event) -> bool:
    return finding.effect == "hang" and (event.operation in finding.line_text or event.operation in finding.message)
