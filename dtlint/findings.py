"""What is a finding? The vocabulary every room of dtlint stands on."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import zip_longest
from typing import Protocol

EFFECTS = ("hang", "wrong", "crash", "race", "waste")
SEVERITIES = ("error", "warning", "note")
TIERS = ("default", "strict")
SEVERITY_OF_EFFECT = {
    "hang": "error",
    "wrong": "error",
    "crash": "error",
    "race": "warning",
    "waste": "note",
}


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A place in a source file: 1-based lines and columns, columns in code points, end exclusive."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int


class Placed(Protocol):
    """What stands somewhere in a program: an event, a decision, a call."""

    @property
    def path(self) -> str: ...

    @property
    def at(self) -> tuple[int, int, int, int]: ...


@dataclass(frozen=True, slots=True, order=True)
class Step:
    """One link of the evidence: what happens on this line, in words."""

    path: str
    line: int
    text: str
    cell: tuple[int, int] | None = field(default=None, compare=False)  # notebook: cell number, row

    @classmethod
    def of(cls, where: Placed, text: str) -> Step:
        return cls(where.path, where.at[0], text)


def each_once(steps: Iterable[Step]) -> tuple[Step, ...]:
    """Nothing is told twice, nor `decides on x` before `decides on x, which differs by rank`."""
    told = list(dict.fromkeys(steps))
    return tuple(
        step for step, following in zip_longest(told, told[1:]) if following is None or not begins(step, following)
    )


def begins(step: Step, following: Step) -> bool:
    return (step.path, step.line) == (following.path, following.line) and following.text.startswith(f"{step.text},")


class Cell(Enum):
    """What one group of ranks does in one row of a timeline."""

    RUNS = "runs"  # makes the call and goes on
    WAITS = "waits"  # makes the call and waits for ranks that never come
    NEVER = "never"  # never makes this call
    TAKEN = "taken"  # takes this branch
    SKIPPED = "not taken"
    LEFT = "left"  # has left the function, the loop or the program
    FAILED = "failed"  # an exception was raised here
    PAIRS = "pairs"  # makes a call that meets another rank's different call
    NOTHING = ""


@dataclass(frozen=True, slots=True)
class TimelineRow:
    """One line of the rank table. `sequence` numbers calls that communicate, 0 is a decision."""

    sequence: int
    path: str
    line: int
    text: str
    cells: tuple[Cell, ...]
    cell: tuple[int, int] | None = field(default=None, compare=False)  # notebook: cell number, row


@dataclass(frozen=True, slots=True)
class Timeline:
    """Who is where: one column for each group of ranks that behave alike."""

    lanes: tuple[str, ...]
    rows: tuple[TimelineRow, ...]
    outcome: str  # what comes of it: `hang: rank 0 waits in barrier() until the group times out, …`


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a traced run said about a finding."""

    state: str  # confirmed | refuted | not-reached | inconclusive
    reason: str = ""
    strength: str = ""  # slice | run


@dataclass(frozen=True, slots=True)
class Finding:
    code: str
    slug: str
    effect: str
    severity: str
    tier: str
    message: str
    remedy: str
    span: Span
    lanes: tuple[str, ...] = ()
    trail: tuple[Step, ...] = ()
    timeline: Timeline | None = None
    scope: str = ""  # qualified name of the enclosing function, for the fingerprint
    line_text: str = ""  # the source line, for the fingerprint
    guard_text: str = ""  # the deciding line, for the fingerprint
    fingerprint: str = ""
    verdict: Verdict | None = None
    cell: tuple[int, int, int] | None = None  # notebook: cell number, row, column
    related: tuple[str, ...] = field(default=(), compare=False)  # other files it depends on

    @property
    def sort_key(self) -> tuple[object, ...]:
        return (self.span, self.code, self.message)


def paths_of(finding: Finding) -> set[str]:
    """All files that take part in a finding."""
    rows = finding.timeline.rows if finding.timeline else ()
    steps = (step.path for step in finding.trail)
    return {finding.span.path, *finding.related, *steps, *(row.path for row in rows)}


def with_fingerprints(findings: list[Finding], named: Callable[[str], str] = str) -> list[Finding]:
    """Give every finding an identity that survives edits above it: no line numbers, no message. `named` is what a path
    is called wherever the check was started."""
    seen: dict[str, int] = {}
    done: list[Finding] = []
    for finding in sorted(findings, key=lambda item: item.sort_key):
        parts = (
            finding.code,
            named(finding.span.path),
            finding.scope,
            " ".join(finding.line_text.split()),
            " ".join(finding.guard_text.split()),
        )
        digest = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:24]
        count = seen.get(digest, 0)
        seen[digest] = count + 1
        done.append(replace(finding, fingerprint=f"{digest}:{count}" if count else digest))
    return done
