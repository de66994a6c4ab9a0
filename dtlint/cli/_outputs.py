"""Where does a report go, and in which form?"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from dtlint.cli._options import look, put, say
from dtlint.report.model import RenderOptions, Report

FORMATS = ("full", "concise", "json", "github", "sarif", "gitlab", "junit")


@dataclass(frozen=True, slots=True)
class Output:
    format: str
    file: str = ""

    @property
    def for_people(self) -> bool:
        return self.format in ("full", "concise")

    @property
    def tells_summary(self) -> bool:
        return self.format == "full" and not self.file

    @property
    def needs_rules(self) -> bool:
        return self.format == "sarif"

    def write(self, report: Report, options: RenderOptions) -> None:
        module = importlib.import_module(f"dtlint.report.{self.format}")
        text: str = module.render(report, options)
        if self.format == "github":
            _step_summary(module.summary(report, options))
        if not self.file:
            put(text)
            return
        try:
            Path(self.file).parent.mkdir(parents=True, exist_ok=True)
            Path(self.file).write_text(text, encoding="utf-8", errors="replace", newline="\n")
        except OSError as problem:
            raise click.UsageError(f"cannot write {self.file}: {problem.strerror or problem}") from None


def outputs(formats: Sequence[str]) -> list[Output]:
    """`("full", "sarif=out.sarif")` as outputs; at most one may go to standard output."""
    wanted = []
    for item in formats or (os.environ.get("DTLINT_OUTPUT_FORMAT") or "full",):
        name, given, file = item.partition("=")
        if name not in FORMATS:
            import difflib

            near = difflib.get_close_matches(name, FORMATS, 1)
            hint = f"; did you mean `{near[0]}`?" if near else f"; there are {', '.join(FORMATS)}"
            raise click.UsageError(f"no output format `{name}`{hint}")
        if given and not file:
            raise click.UsageError(f"--output-format {item}: a file name has to follow `=`")
        wanted.append(Output(name, file))
    if sum(not output.file for output in wanted) > 1:
        raise click.UsageError("only one output format can go to standard output; write the others as FORMAT=FILE")
    return wanted


def write(wanted: Sequence[Output], report: Report, given: Mapping[str, Any]) -> None:
    """The report in every form that was asked for."""
    shown = look(sys.stdout, given["color"], given["quiet"])
    for output in wanted:
        how = shown
        if output.file:
            how = replace(shown, color=given["color"] == "always", ascii=False)
        if output.needs_rules:
            from dtlint import registry

            how = replace(how, rules=registry.rules(tuple(given["rule_dirs"])))
        output.write(report, how)


def tell(wanted: Sequence[Output], report: Report) -> None:
    """What is no finding and yet for the person, on stderr."""
    for notice in report.notices:
        say(f"dtlint: {notice}")
    if not any(output.tells_summary for output in wanted):
        from dtlint.report.summary import summary

        say(f"dtlint: {summary(report)}")


def _step_summary(text: str) -> None:
    """Append to the page that GitHub shows for the step; not being able to must not fail the check."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return
    try:
        with open(path, "a", encoding="utf-8", errors="replace") as stream:
            stream.write(text)
    except OSError as problem:
        click.echo(f"dtlint: step summary not written: {problem}", err=True)
