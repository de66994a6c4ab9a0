"""Which findings does the user see, and at which place: suppressions, per-file ignores, notebook cells?"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from dtlint import registry
from dtlint.api import Rule
from dtlint.config import Config
from dtlint.findings import Finding, Timeline
from dtlint.source.notebooks import Notebook, read_notebook
from dtlint.source.text import Incomplete, SourceFile, decode, read_bytes


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


# --- notebooks ---------------------------------------------------------------------------------------------------


def placed(findings: Iterable[Finding], files: Sequence[SourceFile]) -> list[Finding]:
    """The same findings, with those in notebooks at a cell for people and at a line of the file for tools."""
    by_path = {file.path: file for file in files if file.is_notebook}
    found = list(findings)
    if not by_path:
        return found
    used = {path for finding in found for path in _paths(finding)} & by_path.keys()
    notebooks = {path: notebook for path in used if (notebook := _notebook(by_path[path])) is not None}
    return [_placed(finding, notebooks) for finding in found]


def _paths(finding: Finding) -> set[str]:
    rows = finding.timeline.rows if finding.timeline else ()
    return {finding.span.path, *(step.path for step in finding.trail), *(row.path for row in rows)}


def _notebook(file: SourceFile) -> Notebook | None:
    data = read_bytes(file)
    source = data if isinstance(data, Incomplete) else decode(data, file.path)
    notebook = source if isinstance(source, Incomplete) else read_notebook(source.text, file.path)
    return None if isinstance(notebook, Incomplete) else notebook


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
