"""Which findings does the user see, and at which place: suppressions, per-file ignores, notebook cells?"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from dtlint import registry
from dtlint.api import Rule
from dtlint.config import Config
from dtlint.findings import Finding, Step, Timeline, TimelineRow, paths_of
from dtlint.source.notebooks import Notebook
from dtlint.source.suppressions import Suppression, Suppressions, suppressions


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


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked of the rules: which there are, which ran, and under which configuration."""

    known: Sequence[Rule]
    chosen: Sequence[Rule]
    config: Config

    def shows(self, finding: Finding) -> bool:
        rule = next(rule for rule in self.known if rule.code == finding.code)
        wanted = registry.reported(finding, rule, self.config.select, self.config.strict)
        return wanted and not ignored_by_file(finding, self.config, rule)

    def ran(self, written: Sequence[str]) -> bool:
        """Would every rule that these codes mean have spoken, had it something to say?"""
        chosen = {rule.code for rule in self.chosen}
        meant = [rule for rule in self.known if not written or any(_means(item, rule) for item in written)]
        return all(rule.code in chosen for rule in meant)


def sorted_out(
    findings: Sequence[Finding], texts: Mapping[str, str], asked: Asked
) -> tuple[list[Finding], list[Finding], list[str]]:
    """What is reported, what a comment suppresses, and what is wrong with the comments. Lines are those of `texts`."""
    comments = {path: suppressions(text) for path, text in texts.items() if "tlint" in text}
    used: set[tuple[str, Suppression]] = set()
    kept: list[Finding] = []
    silenced: list[Finding] = []
    for finding in findings:
        comment = _suppression(finding, comments.get(finding.span.path))
        if comment is not None:
            used.add((finding.span.path, comment))
        if asked.shows(finding):
            (kept if comment is None else silenced).append(finding)
    notices = [
        f"{path}:{line}: {text}"
        for path, found in sorted(comments.items())
        for line, text in _complaints(found, {item for where, item in used if where == path}, asked)
    ]
    return kept, silenced, notices


def _suppression(finding: Finding, comments: Suppressions | None) -> Suppression | None:
    """The comment on the finding's line, or behind the last line of its call."""
    if comments is None:
        return None
    first = comments.find(finding.span.line, finding.code, finding.slug)
    return first or comments.find(finding.span.end_line, finding.code, finding.slug)


def _complaints(comments: Suppressions, used: set[Suppression], asked: Asked) -> Iterator[tuple[int, str]]:
    for bad in comments.malformed:
        yield bad.line, f"suppression not understood: {bad.reason}"
    for comment in comments.found:
        unknown = [written for written in comment.codes if not any(_means(written, rule) for rule in asked.known)]
        for written in unknown:
            near = difflib.get_close_matches(written.lower(), [rule.slug for rule in asked.known], 1)
            hint = f"; did you mean `{near[0]}`?" if near else ""
            yield comment.line, f"suppression names no rule: `{written}`{hint}"
        if not unknown and comment not in used and asked.ran(comment.codes):
            codes = ", ".join(comment.codes) or "everything"
            yield comment.line, f"suppression of {codes} has nothing to suppress; remove it"


def _means(written: str, rule: Rule) -> bool:
    return registry.names(written.lower() if "-" in written else written, rule)


# --- notebooks ---------------------------------------------------------------------------------------------------

LINE = re.compile(r"\bline (\d+)")
Placed = TypeVar("Placed", Step, TimelineRow)


def placed(findings: Iterable[Finding], notebooks: Mapping[str, Notebook]) -> list[Finding]:
    """The same findings, with those in notebooks at a cell for people and at a line of the file for tools."""
    return [
        finding if notebooks.keys().isdisjoint(paths_of(finding)) else _placed(finding, notebooks)
        for finding in findings
    ]


def _placed(finding: Finding, notebooks: Mapping[str, Notebook]) -> Finding:
    trail = tuple(stepped(step, notebooks) for step in finding.trail)
    timeline = finding.timeline
    if timeline is not None:
        rows = tuple(_at_cell(row, notebooks) for row in timeline.rows)
        timeline = Timeline(timeline.lanes, rows, timeline.outcome)
    finding = replace(finding, trail=trail, timeline=timeline)
    span, notebook = finding.span, notebooks.get(finding.span.path)
    inside = notebook.cell_of(span.line) if notebook else None
    if notebook is None or inside is None:
        return finding
    line, end_line = notebook.physical_line(span.line), notebook.physical_line(span.end_line)
    return replace(
        finding,
        span=replace(span, line=line, end_line=end_line),
        message=in_cells(finding.message, notebook),
        line_text=finding.line_text or notebook.text.split("\n")[span.line - 1],
        cell=(inside[0].number, inside[1], span.column),
    )


def stepped(step: Step, notebooks: Mapping[str, Notebook]) -> Step:
    """A step of a trail with its cell, if it has one."""
    if step.path not in notebooks:
        return step
    return replace(_at_cell(step, notebooks), text=in_cells(step.text, notebooks[step.path]))


def _at_cell(item: Placed, notebooks: Mapping[str, Notebook]) -> Placed:
    notebook = notebooks.get(item.path)
    inside = notebook.cell_of(item.line) if notebook else None
    if notebook is None or inside is None:
        return item
    return replace(item, line=notebook.physical_line(item.line), cell=(inside[0].number, inside[1]))


def in_cells(text: str, notebook: Notebook) -> str:
    """Rules say `line 12` and know nothing of cells."""

    def said(match: re.Match[str]) -> str:
        inside = notebook.cell_of(int(match[1]))
        return f"line {inside[1]} of cell {inside[0].number}" if inside else match[0]

    return LINE.sub(said, text)
