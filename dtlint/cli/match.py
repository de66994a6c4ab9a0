"""`dtlint match`: read what a hung job left behind and point to the line, and to the finding that explains it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from dtlint.cli import _options as options


@click.command(
    "match",
    short_help="Tell from flight-recorder dumps where ranks part.",
    epilog="Exit codes: 0 the ranks agree, 1 they part, 2 usage or not a dump, 3 undecided.",
)
@click.argument("dumps", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--project",
    type=click.Path(exists=True, file_okay=False),
    help="Check this source as well and name the finding that explains the hang.",
)
@click.option("--output-format", "form", type=click.Choice(["full", "json"]), default="full", show_default=True)
@options.COLOR
def command(dumps: tuple[Path, ...], project: str | None, form: str, color: str) -> None:
    """Match flight-recorder DUMPS (JSON or pickle, one for each rank, or their directory) or a watchdog log.

    Pickles are read by an unpickler that can only build plain data: nothing in them is run.
    """
    from dtlint.mistakes import Mistake
    from dtlint.trace import explain, flight_recorder, model, report

    try:
        results = flight_recorder.read(dumps)
    except flight_recorder.NotADump as problem:
        raise Mistake(str(problem)) from None
    if not results:
        raise Mistake("no dumps there")
    findings = _findings(project) if project else []
    shown: list[dict[str, Any]] = []
    for result in results:
        explaining = explain.explaining(result, findings)
        if form == "json":
            named = [
                {"code": f.code, "path": f.span.path, "line": f.span.line, "message": f.message} for f in explaining
            ]
            shown.append({**model.to_json(result), "explained_by": named})
            continue
        options.put(report.render(result, options.look(sys.stdout, color)))
        for finding in explaining[:5]:
            place = f"{finding.span.path}:{finding.span.line}"
            options.put(f"  explained by {finding.code} at {place}: {finding.message}\n")
        if project and not explaining and result.exit_code:
            options.put("  no finding explains it\n")
    if form == "json":
        options.put(json.dumps(shown, indent=2) + "\n")
    sys.exit(max((result.exit_code for result in results), key=lambda code: {1: 2, 3: 1}.get(code, 0)))


def _findings(project: str) -> list[Any]:
    from dtlint import engine

    settings = options.configured((project,), {})
    return list(engine.check((project,), settings).findings)
