"""Do the launch rules say exactly what the fixtures of DT9 say, and nothing else?"""

from __future__ import annotations

from pathlib import Path

import pytest

from dtlint.cli._launching import check
from dtlint.config import Config
from tests.fixture_marks import fixtures, is_strict, marks

FOLDER = Path(__file__).parents[1] / "fixtures"
PROJECTS = [path for path in fixtures(FOLDER) if path.parent.name.startswith("DT9") and path.suffix != ".py"]


@pytest.mark.parametrize("project", PROJECTS, ids=lambda path: path.relative_to(FOLDER).as_posix())
def test_fixture(project, monkeypatch):
    monkeypatch.chdir(project.parent if project.is_file() else project)
    report = check([project.name if project.is_file() else "."], Config(strict=is_strict(project)))
    found = {(item.span.path, item.span.line, item.code): item for item in report.findings}
    wanted = {(mark.path, mark.line, mark.code): mark for mark in marks(project) if mark.kind == "want"}
    assert {key: found[key].message for key in found} == {
        key: found[key].message if key in found else "" for key in wanted
    }
    for key, mark in wanted.items():
        assert mark.part in found[key].message
        assert found[key].trail and found[key].remedy and found[key].line_text
    assert not report.incomplete
