"""Is every rule complete: name, documentation, fixtures?"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dtlint import registry
from dtlint.documentation import HEADINGS, sections

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "tests" / "fixtures"
RULES = registry.rules()
MARK = re.compile(r"#\s*(want|miss|noise):\s*([A-Z0-9, ]+)")

each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)


@each_rule
def test_documentation_has_all_headings_in_order(rule):
    found = [heading for heading in sections(rule.documentation) if heading]
    assert tuple(found) == HEADINGS
    assert all(sections(rule.documentation)[heading].strip() for heading in HEADINGS)


@each_rule
def test_names(rule):
    assert re.fullmatch(r"DT\d{3}", rule.code)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.slug)
    assert (ROOT / "rules" / f"{rule.code.lower()}_{rule.slug.replace('-', '_')}.py").is_file()
    assert rule.title and rule.title[0].islower() | rule.title[0].isupper() and not rule.title.endswith(".")
    assert re.fullmatch(r"\d+\.\d+\.\d+", rule.since)


def test_codes_and_names_are_used_once():
    assert len({rule.code for rule in RULES}) == len({rule.slug for rule in RULES}) == len(RULES)


@each_rule
def test_fixtures_exist(rule):
    """At least one program that has to be found and one beside it that has to stay silent."""
    folder = FIXTURES / rule.code
    assert folder.is_dir(), f"tests/fixtures/{rule.code} is missing"
    entries = [path for path in folder.iterdir() if path.name != "__pycache__"]
    wanted = [path for path in entries if rule.code in codes_in(path)]
    silent = [path for path in entries if not codes_in(path)]
    assert wanted and silent


def codes_in(path: Path) -> set[str]:
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    if any(file.name == "expect.json" for file in files):
        return {path.parent.name}
    texts = [file.read_text(encoding="utf-8", errors="replace") for file in files if file.suffix != ".pyc"]
    return {
        code.strip()
        for text in texts
        for match in MARK.finditer(text)
        if match.group(1) == "want"
        for code in match.group(2).split(",")
    }
