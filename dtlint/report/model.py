"""What does a check hand to the reports, and what do the reports need to know besides?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from dtlint.findings import SEVERITIES, Finding, Step, TimelineRow

if TYPE_CHECKING:
    from dtlint.api import Rule
    from dtlint.source.text import Incomplete


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of one check. `files` were looked at, `analysed` of them survived the prefilter and were run."""

    findings: tuple[Finding, ...]
    suppressed: tuple[Finding, ...] = ()
    files: int = 0
    analysed: int = 0
    incomplete: tuple[Incomplete, ...] = ()
    notices: tuple[str, ...] = ()
    baselined: tuple[Finding, ...] = ()  # found, and known from the baseline


def no_lines(path: str) -> Sequence[str]:
    """For callers that have no sources at hand: snippets fall back to the line kept in the finding."""
    return ()


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """How a report is to look. `lines` gives the lines of a file for snippets, and nothing when it cannot."""

    width: int = 80
    color: bool = False
    ascii: bool = False
    quiet: bool = False
    root: Path = field(default_factory=Path.cwd)  # what paths in findings are relative to
    version: str = ""
    rules: tuple[Rule, ...] = ()
    lines: Callable[[str], Sequence[str]] = no_lines
    limits: tuple[int, int, int] = (10, 10, 10)  # annotations of each level that GitHub keeps


def at_least(finding: Finding, severity: str) -> bool:
    """Is the finding as bad as `severity`, or worse?"""
    return SEVERITIES.index(finding.severity) <= SEVERITIES.index(severity)


def place(finding: Finding) -> str:
    """`train.py:41:13`, or `nb.ipynb:cell 3:2:5` where lines count inside a notebook cell."""
    if finding.cell is not None:
        number, row, column = finding.cell
        return f"{finding.span.path}:cell {number}:{row}:{column}"
    return f"{finding.span.path}:{finding.span.line}:{finding.span.column}"


def at_line(item: Step | TimelineRow) -> str:
    """`train.py:41`, or `nb.ipynb:cell 3:2`."""
    number, row = item.cell or (0, item.line)
    return f"{item.path}:cell {number}:{row}" if number else f"{item.path}:{row}"


def plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
