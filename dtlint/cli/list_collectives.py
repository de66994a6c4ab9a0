"""`dtlint list-collectives`: every place where ranks communicate, and under which guards."""

from __future__ import annotations

import json
from dataclasses import asdict, is_dataclass
from typing import Any

import click

from dtlint.cli import _options as options


@click.command("list-collectives", short_help="List where ranks communicate.")
@click.argument("paths", nargs=-1, type=click.Path())
@click.option("--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True)
@options.analysis_options
def command(paths: tuple[str, ...], form: str, **given: Any) -> None:
    """List the collective calls in PATHS with their group and the decisions above them."""
    from dtlint import engine

    queries = options.queries()

    targets = paths or (".",)
    settings = options.configured(targets, given)
    listing = engine.listed(targets, settings)
    sites = [_row(site) for site in queries.collective_sites(engine.runs(listing, settings))]
    if form == "json":
        options.put(json.dumps(sites, indent=2, default=str) + "\n")
        return
    for site in sites:
        shown = [f"{site.pop('path')}:{site.pop('line')}"]
        shown += [_cell(value) for value in site.values() if value not in ("", None, (), [])]
        options.put("  ".join(shown) + "\n")
    options.say(f"dtlint: {len(sites)} collective sites")


def _row(site: Any) -> dict[str, Any]:
    return asdict(site) if is_dataclass(site) and not isinstance(site, type) else dict(site)


def _cell(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
