"""Does the check-list read well in every format, and say the same in each?"""

from __future__ import annotations

import json

from dtlint.ready.assess import assess
from dtlint.ready.rendering import Look, as_json, full, markdown
from dtlint.source.text import Incomplete
from tests.ready.evidence import evidence, finding


def result(tmp_path):
    broken = (Incomplete("model.py", 3, "invalid syntax"),)
    saved = finding("DT108", "train.py", 102, "`save()` talks to all ranks inside, but ranks 1-3 never come", "hang")
    return assess(evidence(tmp_path, finding("DT201"), saved, stated=4, incomplete=broken), "tpu-pod")


def test_full(tmp_path, golden):
    golden("full.txt", full(result(tmp_path), Look(width=80)))


def test_narrow_ascii(tmp_path):
    text = full(result(tmp_path), Look(width=60, ascii=True))
    assert text.isascii()
    assert all(len(line) <= 60 for line in text.splitlines())
    assert "  x every process" in text and "  + processes find" in text


def test_color_only_where_wanted(tmp_path):
    assert "\x1b[" not in full(result(tmp_path), Look())
    assert "\x1b[31m✗\x1b[0m" in full(result(tmp_path), Look(color=True))


def test_markdown(tmp_path, golden):
    golden("list.md", markdown(result(tmp_path)))


def test_json(tmp_path):
    answered = result(tmp_path)
    data = json.loads(as_json(answered))
    assert data["schema"] == "dtlint-ready/1"
    assert data["verdict"] == "not ready" and data["target"] == "tpu-pod"
    assert [item["title"] for item in data["items"]] == [answer.title for answer in answered.answers]
    assert {item["mark"] for item in data["items"]} == {"works", "critical"}
    assert data["waste"][0]["effective"] == 0.25 and data["waste"][0]["processes"] == 4
    assert data["incomplete"] == [{"path": "model.py", "line": 3, "reason": "invalid syntax"}]
    failing = next(item for item in data["items"] if item["findings"] and item["findings"][0]["code"] == "DT108")
    assert failing["findings"][0]["line"] == 102 and failing["findings"][0]["remedy"]
