"""Does dtlint say exactly what the fixtures say, and nothing else?"""

from __future__ import annotations

from pathlib import Path

import pytest

from dtlint import engine, registry
from dtlint.config import Config
from tests.fixture_marks import fixtures, has_to_be_analysed, is_strict, marks

FOLDER = Path(__file__).parent / "fixtures"
KNOWN = {rule.code for rule in registry.rules()}
STRICT = {rule.code for rule in registry.rules() if rule.tier == "strict"}


@pytest.mark.parametrize("project", fixtures(FOLDER), ids=lambda path: path.relative_to(FOLDER).as_posix())
def test_fixture(project, monkeypatch):
    monkeypatch.chdir(project.parent if project.is_file() else project)
    target = project.name if project.is_file() else "."
    config = Config(strict=is_strict(project), cache=False, jobs=1)
    report = engine.check([target], config)
    found = {(item.span.path, item.span.line, item.code): item for item in report.findings}
    expected = [mark for mark in marks(project) if mark.code in KNOWN]
    if expected != list(marks(project)) and not expected:
        pytest.skip("the rule is not written yet")
    complaints = []
    for mark in expected:
        place = (mark.path, mark.line, mark.code)
        if mark.kind == "miss":
            if place in found:
                complaints.append(f"{mark.path}:{mark.line}: {mark.code} is found now: turn the miss into a want")
        elif place not in found:
            what = "not found" if mark.kind == "want" else "gone: remove the noise mark"
            if mark.code in STRICT and not config.strict:
                what += " (it is strict: let the first line be `# tier: strict`)"
            complaints.append(f"{mark.path}:{mark.line}: {mark.code} {what}")
        elif mark.part and mark.part not in found[place].message:
            complaints.append(f"{mark.path}:{mark.line}: message is {found[place].message!r}, not … {mark.part!r} …")
    allowed = {(mark.path, mark.line, mark.code) for mark in expected}
    complaints += [
        f"{path}:{line}: {code} not expected: {item.message}"
        for (path, line, code), item in sorted(found.items())
        if (path, line, code) not in allowed
    ]
    if not expected and not report.analysed and has_to_be_analysed(project):
        complaints.append("nothing of it is analysed, so it cannot fail; say `# passed over: why` where this is meant")
    complaints += [f"{item.path}:{item.line}: incomplete: {item.reason}" for item in report.incomplete]
    complaints += [complaint for item in report.findings for complaint in unfinished(item)]
    assert not complaints, "\n" + "\n".join(complaints)


def message_problems(text):
    if not text:
        yield "is empty"
    elif text[0].isupper() and not text.split()[0].isupper():
        yield "begins with a capital"
    if text.endswith("."):
        yield "ends with a full stop"


def unfinished(finding):
    """Lower case start, no full stop, a remedy, a trail: what a finding needs to be shown to anybody."""
    where = f"{finding.span.path}:{finding.span.line}: {finding.code}"
    for name, text in (("message", finding.message), ("remedy", finding.remedy)):
        yield from (f"{where}: {name} {problem}: {text!r}" for problem in message_problems(text))
    if not finding.trail:
        yield f"{where}: no trail"
    if not (finding.scope or finding.line_text):
        yield f"{where}: nothing to make a fingerprint of"
