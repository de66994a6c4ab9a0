"""`dtlint explain`: what a rule finds, why that is bad, what to do instead, and what it cannot see."""

from __future__ import annotations

import json
import sys

import click

from dtlint import registry
from dtlint.api import Rule
from dtlint.cli import _options as options
from dtlint.cli.rules import as_object
from dtlint.documentation import sections
from dtlint.trace import verify


@click.command("explain", short_help="Explain a rule.")
@click.argument("rule")
@click.option(
    "--output-format", "--format", "form", type=click.Choice(["text", "md", "json"]), default="text", show_default=True
)
@options.COLOR
def command(rule: str, form: str, color: str) -> None:
    """Explain RULE, given as a code (DT101) or a name (rank-guarded-collective)."""
    found = registry.one(rule, registry.rules())
    if form == "json":
        parts = sections(found.documentation)
        document = {**as_object(found), "sections": {name: text for name, text in parts.items() if name}}
        options.put(json.dumps(document, indent=2) + "\n")
    elif form == "md":
        options.put(markdown(found))
    else:
        options.put(as_text(found, options.look(sys.stdout, color).color))


def facts(rule: Rule) -> str:
    frameworks = ", ".join(rule.frameworks) or "any framework"
    tier = "on by default" if rule.tier == "default" else "on with --strict"
    seen = "; `--verify` can show it" if rule.code in verify.SUPPORTED else ""
    return f"effect: {rule.effect}; severity: {rule.default_severity}; {tier}; {frameworks}; since {rule.since}{seen}"


def suppression(rule: Rule) -> str:
    return f"# dtlint: ignore[{rule.code}] -- why it is right here"


def markdown(rule: Rule) -> str:
    lines = [f"# {rule.code} {rule.slug}", "", rule.title, "", facts(rule), ""]
    for heading, text in sections(rule.documentation).items():
        if heading:
            lines += [f"## {heading}", "", text.strip("\n"), ""]
    lines += ["## To keep a line as it is", "", "```python", suppression(rule), "```"]
    return "\n".join(lines) + "\n"


def as_text(rule: Rule, color: bool) -> str:
    def bold(text: str) -> str:
        return f"\x1b[1m{text}\x1b[0m" if color else text

    lines = [bold(f"{rule.code} {rule.slug}"), rule.title, facts(rule), ""]
    for heading, text in sections(rule.documentation).items():
        if heading:
            lines += [bold(heading), *(f"  {line}" if line else "" for line in text.strip("\n").splitlines()), ""]
    lines += [bold("To keep a line as it is"), f"  {suppression(rule)}"]
    return "\n".join(lines) + "\n"
