"""`dtlint why FILE:LINE`: what makes this line depend on the rank."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import click

from dtlint.cli import _options as options

PLACE = re.compile(r"(.+?):(\d+)(?::\d+)?")


@click.command("why", short_help="Show what makes a line depend on the rank.")
@click.argument("place", metavar="FILE:LINE")
@click.argument("paths", nargs=-1, type=click.Path())
@options.analysis_options
@options.COLOR
def command(place: str, paths: tuple[str, ...], color: str, **given: Any) -> None:
    """Show the trail that makes FILE:LINE depend on the rank: sources, assignments, decisions.

    PATHS are what is analysed along with the file; the current directory unless given.
    """
    from dtlint import engine

    queries = options.queries()
    from dtlint.source.files import shown_path

    match = PLACE.fullmatch(place)
    if match is None:
        raise click.UsageError(f"`{place}` is not of the form FILE:LINE")
    path, line = match.group(1), int(match.group(2))
    targets = (path, *(paths or (".",)))
    settings = options.configured(targets, given)
    listing = engine.listed(targets, settings)
    shown = shown_path(Path(path), Path.cwd())
    trails = queries.why(engine.runs(listing, settings, about=shown), shown, line)
    if not trails:
        options.put(f"{shown}:{line}: nothing on this line depends on the rank, as far as dtlint can see\n")
        return
    for number, trail in enumerate(trails):
        if number:
            options.put("\n")
        for step in trail:
            options.put(f"{step.path}:{step.line}: {step.text}\n")
    sys.stdout.flush()
