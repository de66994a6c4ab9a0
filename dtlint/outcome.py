"""Which findings does the user see, and at which place: suppressions, per-file ignores, notebook cells?"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from dtlint import registry
from dtlint.api import Rule
from dtlint.config import Config
from dtlint.findings import Finding, Timeline
from dtlint.source.notebooks import Notebook
from dtlint.source.text import SourceFile


def ignored_by_file(finding: Finding, config: Config, rule: Rule) -> bool:
    """Does `per-file-ignores` say not to report this rule in this file? Patterns as in .gitignore, from the root."""
    if not config.per_file_ignores:
        return False
    import pathspec

    path = os.path.relpath(finding.span.path, config.root).replace(os.sep, "/")
    for pattern, selectors in config.per_file_ignores.items():
        if any(registry.names(selector, rule) for selector in selectors):
            if pathspec.GitIgnoreSpec.from_lines([pattern]).match_file(path):
                return True
    return False


def sorted_out(
    findings: Sequence[Finding],
    files: Sequence[SourceFile],
    config: Config,
    known: Sequence[Rule],
    rules: Sequence[Rule],
) -> tuple[list[Finding], list[Finding], list[str]]:
    """What is reported, what a comment suppresses, and what is wrong with the comments."""
    rule_of = {rule.code: rule for rule in known}
    kept = [finding for finding in findings if not ignored_by_file(finding, config, rule_of[finding.code])]
    return kept, [], []


# --- notebooks ---------------------------------------------------------------------------------------------------


def placed(findings: Iterable[Finding], notebooks: Mapping[str, Notebook]) -> list[Finding]:
    """The same findings, with those in notebooks at a cell for people and at a line of the file for tools."""
    return [
        finding if notebooks.keys().isdisjoint(paths_of(finding)) else _placed(finding, notebooks)
        for finding in findings
    ]


def paths_of(finding: Finding) -> set[str]:
    """All files that take part in a finding."""
    rows = finding.timeline.rows if finding.timeline else ()
    steps = (step.path for step in finding.trail)
    return {finding.span.path, *finding.related, *steps, *(row.path for row in rows)}


def _placed(finding: Finding, notebooks: Mapping[str, Notebook]) -> Finding:
    def line_of(path: str, line: int) -> int:
        return notebooks[path].physical_line(line) if path in notebooks else line

    trail = tuple(replace(step, line=line_of(step.path, step.line)) for step in finding.trail)
    timeline = finding.timeline
    if timeline is not None:
        rows = tuple(replace(row, line=line_of(row.path, row.line)) for row in timeline.rows)
        timeline = Timeline(timeline.lanes, rows, timeline.outcome)
    span, cell = finding.span, None
    if span.path in notebooks:
        inside = notebooks[span.path].cell_of(span.line)
        cell = (inside[0].number, inside[1], span.column) if inside else None
        span = replace(span, line=line_of(span.path, span.line), end_line=line_of(span.path, span.end_line))
    return replace(finding, span=span, trail=trail, timeline=timeline, cell=cell)
