"""`dtlint list-collectives`: every place where ranks communicate, and under which guards."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from dtlint.cli import _options as options
from dtlint.findings import Step
from dtlint.report.model import at_line, plural

if TYPE_CHECKING:
    from dtlint.machine.queries import Site

HEADER = ("where", "call", "kind", "group", "in", "decided by")


@click.command("list-collectives", short_help="List where ranks communicate.")
@click.argument("paths", nargs=-1, type=click.Path())
@click.option(
    "--output-format", "--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True
)
@options.analysis_options
def command(paths: tuple[str, ...], form: str, **given: Any) -> None:
    """List the collective calls in PATHS with their group and the decisions above them."""
    from dtlint import engine
    from dtlint.machine.queries import collective_sites
    from dtlint.outcome import stepped

    targets = paths or (".",)
    settings = options.configured(targets, given)
    project, runs = engine.runs(engine.listed(targets, settings), settings)
    sites = collective_sites(runs)
    places = [stepped(Step(site.path, site.line, ""), project.notebooks) for site in sites]
    if form == "json":
        rows = [{**asdict(site), "line": place.line} for site, place in zip(sites, places)]
        options.put(json.dumps(rows, indent=2, default=str) + "\n")
    elif sites:
        options.put(table([HEADER, *(row(at_line(place), site) for site, place in zip(sites, places))]))
    options.say_incomplete(project.problems)
    if form == "table":
        options.say(f"dtlint: {plural(len(sites), 'place')} where ranks communicate")


def row(place: str, site: Site) -> tuple[str, ...]:
    return (place, site.call, site.op, site.group, site.function, ", ".join(site.guards))


def table(rows: list[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(cells, widths)).rstrip() for cells in rows)
    return "".join(f"{line}\n" for line in lines)
