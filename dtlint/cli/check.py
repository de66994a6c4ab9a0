"""`dtlint check`: look for places where ranks part, and report them."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from dtlint.cli import _options as options
from dtlint.cli._outputs import FORMATS, Output, outputs, tell, write
from dtlint.cli._progress import Progress
from dtlint.config import Config
from dtlint.findings import SEVERITIES
from dtlint.report.model import Report, at_least

CLEAN, FOUND, INCOMPLETE = 0, 1, 3
VERIFY = "--verify"
STATES = ("confirmed", "refuted", "not-reached", "inconclusive")
RUNS_CODE = "dtlint: --verify runs code of this project in a sandbox, to see whether what was found happens"


class _Check(click.Command):
    """`--verify` takes its value only after `=`: what follows a bare one is a path."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        end = args.index("--") if "--" in args else len(args)
        bare = [f"{VERIFY}=auto" if item == VERIFY else item for item in args[:end]]
        return super().parse_args(ctx, bare + args[end:])


@click.command(
    "check",
    cls=_Check,
    short_help="Look for places where ranks part.",
    epilog="Exit codes: 0 clean, 1 findings, 2 usage or configuration, 3 analysis incomplete, 4 internal error.",
)
@click.argument("paths", nargs=-1, type=click.Path())
@click.option(
    "--output-format",
    "formats",
    multiple=True,
    metavar="FORMAT[=FILE]",
    help=f"One of {', '.join(FORMATS)}; may be given several times, with =FILE to write to a file.  [default: full]",
)
@options.analysis_options
@click.option("--fail-on", type=click.Choice(SEVERITIES), help="The least severity that fails.  [default: note]")
@click.option("--exit-zero", is_flag=True, help="Exit 0 whatever was found.")
@click.option("--allow-incomplete", is_flag=True, default=None, help="Files that cannot be analysed are no failure.")
@click.option("--baseline", metavar="FILE", help="Report only what this file of known findings does not have.")
@click.option("--update-baseline", is_flag=True, help="Write what is found now to that file, and exit 0.")
@click.option("--changed-only", is_flag=True, help="Analyse everything, report what touches files changed in git.")
@click.option(
    "--changed-since", default="", metavar="REF", help="The same for what changed since this branch left REF."
)
@click.option("--stdin-filename", metavar="NAME", help="The name of what comes on standard input (path `-`).")
@click.option("--statistics", is_flag=True, help="Add how often each rule was found.")
@click.option(
    VERIFY,
    type=click.Choice(["auto", "slice", "run"]),
    metavar="",
    help="RUN THE CHECKED CODE in a sandbox and tell for each finding whether it was seen happening. =run: scripts as "
    "they are; =slice: single functions with stand-ins; else both.",
)
@click.option("--verify-budget", type=click.FloatRange(0), default=300.0, show_default=True, help="Seconds for it.")
@click.option("--python", default="", metavar="PATH", help="For --verify: the interpreter that has the framework.")
@click.option("--quiet", "-q", is_flag=True, help="Findings only: no summary, no notices.")
@options.COLOR
@click.pass_context
def command(ctx: click.Context, paths: tuple[str, ...], formats: tuple[str, ...], **given: Any) -> None:
    """Check PATHS (files, directories, patterns; `-` is standard input) or the current directory.

    Nothing of the checked project is imported or run, unless --verify asks for it.
    """
    wanted = outputs(formats)
    if given["stdin_filename"] and "-" not in paths:
        paths = (*paths, "-")
    targets = paths or (".",)
    settings = options.configured(targets, given)
    if given["update_baseline"]:
        ctx.exit(_update_baseline(targets, settings, given))
    report = _checked(targets, settings, given)
    if settings.baseline:
        from dtlint.baseline import less_known

        report = less_known(report, settings, targets)
    if given["changed_only"] or given["changed_since"]:
        from dtlint.cli._changes import only_changed

        report = only_changed(report, options.say, given["changed_since"])
    if given["verify"] and report.findings:
        report = _verified(report, given)
    _write(wanted, report, given)
    code = exit_code(report, settings)
    ctx.exit(CLEAN if given["exit_zero"] else code)


def _checked(targets: tuple[str, ...], settings: Config, given: dict[str, Any]) -> Report:
    from dtlint import engine

    stdin = None
    if "-" in targets:
        stdin = (given["stdin_filename"] or "stdin.py", sys.stdin.buffer.read())
    with Progress(sys.stderr, wanted=not given["quiet"]) as progress:
        return engine.check(targets, settings, rule_dirs=given["rule_dirs"], stdin=stdin, progress=progress.step)


def _update_baseline(targets: tuple[str, ...], settings: Config, given: dict[str, Any]) -> int:
    from dtlint.baseline import write

    if not settings.baseline:
        raise click.UsageError("--update-baseline needs --baseline FILE, or `baseline` in the configuration")
    for option in ("select", "ignore", "changed_only", "changed_since"):
        if given[option]:
            raise click.UsageError(f"--update-baseline takes all findings: leave out --{option.replace('_', '-')}")
    options.say(f"dtlint: {write(_checked(targets, settings, given), settings)}")
    return CLEAN


def _verified(report: Report, given: dict[str, Any]) -> Report:
    """The same findings with verdicts: none is dropped, none changes its severity."""
    from dtlint.trace.verify import verify

    if not given["quiet"]:
        options.say(RUNS_CODE)
    with Progress(sys.stderr, wanted=not given["quiet"]) as progress:
        findings = verify(
            report.findings,
            Path.cwd(),
            given["verify"],
            given["verify_budget"],
            python=given["python"],
            progress=lambda done, total: progress.step(done, total, "verifying"),
        )
    counts = Counter(item.verdict.state for item in findings if item.verdict is not None)
    told = ", ".join(f"{counts[state]} {state}" for state in STATES if counts[state])
    return replace(report, findings=tuple(findings), notices=(*report.notices, f"verified by running: {told}"))


def _write(wanted: list[Output], report: Report, given: dict[str, Any]) -> None:
    write(wanted, report, given)
    if given["statistics"]:
        text = _statistics(report)
        (options.put if all(output.for_people for output in wanted) else options.say)(text)
    if not given["quiet"]:
        tell(wanted, report)


def _statistics(report: Report) -> str:
    counts = Counter((item.code, item.slug) for item in report.findings)
    rows = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    return "".join(f"{count:>6}  {code}  {slug}\n" for (code, slug), count in rows)


def exit_code(report: Report, settings: Config) -> int:
    """The same for every format."""
    if any(at_least(finding, settings.fail_on) for finding in report.findings):
        return FOUND
    if report.incomplete and not settings.allow_incomplete:
        return INCOMPLETE
    return CLEAN
