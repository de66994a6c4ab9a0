"""Do the lists of expected findings still fit the programs they speak of?"""

from __future__ import annotations

import ast
import json
import re

import pytest
import running

ROOT = running.FOLDER.parent


@pytest.mark.parametrize("name", running.NAMES)
def test_every_expected_line_is_there_exactly_once(name: str) -> None:
    example = running.load(name)
    for row in example.expected:
        text = (example.folder / row.file).read_text(encoding="utf-8")
        assert text.count(row.line) == 1, (row.file, row.line)
        assert row.shown in ("run", "inject", "lint") and row.tier in ("default", "strict")
        assert row.known in ("", "miss"), row


@pytest.mark.parametrize("name", running.NAMES)
def test_broken_programs_give_nothing_away(name: str) -> None:
    """No comment and no docstring tells what is wrong: the programs are as people write them."""
    for path in running.load(name).broken_files:
        source = path.read_text(encoding="utf-8")
        assert ast.get_docstring(ast.parse(source)) is None
        assert not re.search(r"^\s*#(?!!)|\s#\s", source, re.MULTILINE), path


@pytest.mark.parametrize("name", running.NAMES)
def test_every_example_has_its_parts(name: str) -> None:
    folder = running.FOLDER / name
    for part in ("broken.py", "fixed.py", "README.md", "expected.json"):
        assert (folder / part).is_file(), part
    for path in folder.rglob("*.py"):
        compile(path.read_text(encoding="utf-8"), str(path), "exec")


def test_every_pair_of_the_guide_is_expected() -> None:
    folder = running.FOLDER / "ddp_troubleshooting"
    broken = {path.name for path in folder.glob("pairs/*_broken.py")}
    assert {row.file.removeprefix("pairs/") for row in running.load(folder.name).expected if "/" in row.file} == broken
    assert {name.replace("_broken", "_fixed") for name in broken} == {
        path.name for path in folder.glob("pairs/*_fixed.py")
    }


def test_the_map_names_every_code_and_nothing_that_is_not_there() -> None:
    """examples/README.md: what becomes of each statement of the five documents."""
    text = (running.FOLDER / "README.md").read_text(encoding="utf-8")
    expected = {row.code for name in running.NAMES for row in running.load(name).expected}
    assert not expected - set(re.findall(r"DT\d{3}", text))
    for mention in re.findall(r"`([\w/]+\.(?:py|sh|md|json))`", text):
        places = (running.FOLDER, ROOT, *(running.FOLDER / name for name in running.NAMES))
        assert any((place / mention).exists() for place in places), mention


def test_matching_wants_the_code_and_the_place() -> None:
    example = running.load("ddp_robust")
    row = next(row for row in example.expected if row.code == "DT106")
    line = row.lines(example.folder)[0]
    right = {"code": "DT106", "path": "examples/ddp_robust/broken.py", "line": line, "trail": []}
    assert running.matches(row, right, example.folder)
    assert not running.matches(row, {**right, "code": "DT101"}, example.folder)
    assert not running.matches(row, {**right, "line": line + 1}, example.folder)
    led_there = {**right, "line": 1, "trail": [{"path": right["path"], "line": line, "text": "raised"}]}
    assert running.matches(row, led_there, example.folder)


def test_expected_files_are_plain_json() -> None:
    for name in running.NAMES:
        data = json.loads((running.FOLDER / name / "expected.json").read_text(encoding="utf-8"))
        assert set(data) - {"noise"} == {"start", "loss", "findings"}
        assert 0 < data["loss"]["falls_below"] < 1
