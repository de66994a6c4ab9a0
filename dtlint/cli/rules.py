"""`dtlint rules`: which rules there are."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from dtlint import registry
from dtlint.api import Rule
from dtlint.cli import _options as options


@click.command("rules", short_help="List the rules.")
@click.option("--select", multiple=True, metavar="RULES", help="Only these: codes, families (DT1), names.")
@click.option(
    "--output-format", "--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True
)
@click.option(
    "--rules", "rule_dirs", multiple=True, type=click.Path(exists=True, file_okay=False, path_type=Path), hidden=True
)
def command(select: tuple[str, ...], form: str, rule_dirs: tuple[Path, ...]) -> None:
    """List the rules: code, effect, severity, tier, name and what they find."""
    wanted = registry.chosen(registry.rules(rule_dirs), [part for item in select for part in item.split(",")], ())
    if form == "json":
        options.put(json.dumps([as_object(rule) for rule in wanted], indent=2) + "\n")
        return
    width = options.look(sys.stdout).width
    slug = max((len(rule.slug) for rule in wanted), default=4)
    lines = [f"{'code':5}  {'name':{slug}}  {'effect':6}  {'severity':8}  {'tier':7}  title"]
    for rule in wanted:
        head = f"{rule.code:5}  {rule.slug:{slug}}  {rule.effect:6}  {rule.default_severity:8}  {rule.tier:7}  "
        room = width - len(head)
        title = rule.title if len(rule.title) <= room or room < 20 else rule.title[: room - 3] + "..."
        lines.append(head + title)
    options.put("".join(line.rstrip() + "\n" for line in lines))


def as_object(rule: Rule) -> dict[str, object]:
    return {
        "code": rule.code,
        "slug": rule.slug,
        "family": rule.family,
        "effect": rule.effect,
        "severity": rule.default_severity,
        "tier": rule.tier,
        "since": rule.since,
        "frameworks": list(rule.frameworks),
        "title": rule.title,
    }
