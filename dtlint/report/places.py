"""Where is a file, for a machine that looks from the root of the repository instead of from here?"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from dtlint.findings import Span
from dtlint.report.model import RenderOptions


@cache
def repository(start: Path) -> Path:
    """The root of the git repository around `start`, or `start` itself outside of any."""
    for directory in (start, *start.parents):
        if (directory / ".git").exists():
            return directory
    return start


def from_repository(path: str, root: Path) -> str:
    """`path` (relative to `root`) relative to the repository, symlinks resolved, with forward slashes."""
    return from_project(path, root, root)


@cache
def from_project(path: str, root: Path, project: Path) -> str:
    """`path` (relative to `root`) relative to the repository that `project` is in, or to `project` outside of any."""
    real = os.path.realpath(root / path)
    return Path(os.path.relpath(real, repository(Path(os.path.realpath(project))))).as_posix()


def one_line(span: Span, options: RenderOptions) -> tuple[int, int, int]:
    """Line, first column, end column. Web pages show a finding only when all its lines are in the diff: keep one."""
    if span.end_line == span.line and span.end_column > span.column:
        return span.line, span.column, span.end_column
    lines: Sequence[str] = options.lines(span.path)
    end = len(lines[span.line - 1].rstrip()) + 1 if 0 < span.line <= len(lines) else 0
    return span.line, span.column, max(end, span.column + 1)
