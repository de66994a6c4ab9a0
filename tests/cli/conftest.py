"""A command line with a machine that finds what the test tells it to: the word `HANG` in a line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

from dtlint import registry
from dtlint.api import Rule
from dtlint.findings import Cell, Span, Step, Timeline, TimelineRow
from dtlint.machine import units

DOCUMENTATION = """A line that says HANG.

## What it finds
The word.

## Why it is bad
It hangs.

## Instead
Another word.

## Limits
None.
"""


@dataclass
class Outcome:
    code: int
    out: str
    err: str


def says(word, code):
    def check(run):
        for path in run.project.paths:
            for number, line in enumerate(run.lines(path), 1):
                if word in line:
                    yield found(path, number, line, word, code)

    return check


def found(path, number, line, word, code):
    column = line.index(word) + 1
    row = TimelineRow(1, path, number, "barrier()", (Cell.WAITS, Cell.NEVER))
    return RULES[code].finding(
        Span(path, number, column, number, column + len(word)),
        f"only rank 0 says `{word}`",
        "say something else",
        lanes=("rank 0",),
        trail=(Step(path, 1, "here ranks differ"),),
        timeline=Timeline(("rank 0", "ranks 1..3"), (row,), "hang"),
        line_text=line,
        tier="strict" if word == "MAYBE" else "default",
    )


def rule(code, slug, effect, checker):
    return Rule(
        code,
        slug,
        "divergence",
        effect,
        "default",
        "0.1.0",
        ("torch",),
        "title",
        check=checker,
        documentation=DOCUMENTATION,
    )


RULES = {
    "DT101": rule("DT101", "rank-guarded-collective", "hang", says("HANG", "DT101")),
    "DT103": rule("DT103", "rank-dependent-trip-count", "hang", says("MAYBE", "DT103")),
    "DT114": rule("DT114", "missing-barrier", "race", says("RACE", "DT114")),
}


def run_all(machine, paths, ask, jobs, known, done):
    """The whole project as one unit of work."""
    run_all.calls += 1
    project = machine.project

    def lines(path):
        return Path(path).read_text(encoding="utf-8", errors="replace").split("\n") if Path(path).is_file() else []

    entry = SimpleNamespace(path=project.paths[0] if project.paths else "", line=1, kind="function")
    outcome = units.Outcome(units.Unit(1, entry.path))
    outcome.findings, outcome.incomplete, _ = ask(
        SimpleNamespace(project=project, lines=lines, entry=entry, incomplete=[])
    )
    yield outcome


run_all.calls = 0


@pytest.fixture
def machine(monkeypatch):
    """The number of analyses that were made, as `machine.calls`."""
    run_all.calls = 0
    monkeypatch.setattr(units, "run_all", run_all)
    monkeypatch.setattr(registry, "rules", lambda extra=(): tuple(RULES.values()))
    return run_all


@pytest.fixture
def project(tmp_path, monkeypatch, machine):
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "DTLINT_CACHE_DIR", "GITHUB_STEP_SUMMARY", "PRE_COMMIT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    (tmp_path / "pyproject.toml").write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def dtlint(project, capsys):
    """Run the command line in this process."""
    from dtlint.__main__ import main

    def run(*arguments):
        capsys.readouterr()
        try:
            main([str(argument) for argument in arguments])
            code = 0
        except SystemExit as ending:
            code = ending.code or 0
        said = capsys.readouterr()
        return Outcome(code, said.out, said.err)

    return run
