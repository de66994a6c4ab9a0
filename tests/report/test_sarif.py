"""Is the SARIF what GitHub code scanning takes, and are its line hashes those of upload-sarif?"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from dtlint.findings import Timeline
from dtlint.report import sarif
from dtlint.report.linehash import line_hashes
from dtlint.report.model import Report
from tests.report import sample


def run(report, options):
    return json.loads(sarif.render(report, options))["runs"][0]


def test_rules_results_and_threads(tmp_path):
    document = run(sample.report(), sample.options(tmp_path))
    driver = document["tool"]["driver"]
    assert [rule["id"] for rule in driver["rules"]] == ["DT101", "DT114"]
    assert "security-severity" not in json.dumps(document)
    assert driver["rules"][0]["fullDescription"]["text"] == "A collective under a branch on the rank."
    assert document["columnKind"] == "unicodeCodePoints"
    results = {
        item["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]: item for item in document["results"]
    }
    assert set(results) == {"train.py", "data%20dir/pr%C3%A4p%2Ca%3Ab%25.py", "nb.ipynb"}
    guarded = results["train.py"]
    assert guarded["locations"][0]["physicalLocation"]["region"] == {
        "startLine": 7, "startColumn": 9, "endLine": 7, "endColumn": 23,
    }  # fmt: skip
    threads = guarded["codeFlows"][0]["threadFlows"]
    assert [thread["id"] for thread in threads] == ["rank 0", "ranks 1..3"]
    said = [event["location"]["message"]["text"] for event in threads[0]["locations"]]
    assert said[-1] == "rank 0: barrier(): waits"
    for index, rule in ((0, "DT101"), (1, "DT114")):
        assert any(item["ruleIndex"] == index and item["ruleId"] == rule for item in document["results"])


def test_a_finding_over_several_lines_becomes_one_line(tmp_path):
    finding = replace(sample.guarded(), span=replace(sample.guarded().span, end_line=9, end_column=3))
    region = run(Report((finding,)), sample.options(tmp_path))["results"][0]["locations"][0]["physicalLocation"][
        "region"
    ]
    assert region == {"startLine": 7, "startColumn": 9, "endLine": 7, "endColumn": 23}


def test_clean_run_has_an_empty_list_of_results(tmp_path):
    assert run(Report(()), sample.options(tmp_path))["results"] == []


def test_incomplete_files_are_notifications(tmp_path):
    invocation = run(sample.report(), sample.options(tmp_path))["invocations"][0]
    assert "Python 2" in invocation["toolExecutionNotifications"][0]["message"]["text"]


def test_line_hash_is_that_of_the_file(tmp_path):
    result = run(Report((sample.guarded(),)), sample.options(tmp_path))["results"][0]
    assert result["partialFingerprints"]["primaryLocationLineHash"] == line_hashes(sample.SOURCE)[6]


def test_paths_through_links_are_resolved_to_the_repository(tmp_path):
    options = sample.options(tmp_path)
    (tmp_path / "link.py").symlink_to(tmp_path / "train.py")
    finding = replace(sample.guarded(), span=replace(sample.guarded().span, path="link.py"))
    result = run(Report((finding,)), options)["results"][0]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "train.py"


@pytest.mark.parametrize(
    ("text", "hashes"),
    [
        ("", ["c129715d7a2bc9a3:1"]),
        (" \t ", ["c129715d7a2bc9a3:1"]),
        ("\n\n", line_hashes("\r\n\r\n")),
        ("a b\n", line_hashes("ab\r\n")),
        ("a\r", line_hashes("a\n")),
    ],
)
def test_line_hashes(text, hashes):
    assert line_hashes(text) == hashes


def test_line_hash_counts_repeats_and_sees_a_hundred_characters():
    block = "x" * 99 + "\n"
    hashes = line_hashes(block * 3 + "y")
    assert [item.partition(":")[2] for item in hashes[:3]] == ["1", "2", "3"]
    assert len({item.partition(":")[0] for item in hashes[:3]}) == 1
    assert line_hashes("x" * 100 + "a") == line_hashes("x" * 100 + "b")
    assert line_hashes("x" * 99 + "a") != line_hashes("x" * 99 + "b")


def test_line_hash_of_characters_beyond_the_basic_plane_uses_utf_16_units():
    # Two units per character: 50 of them fill the window, so the 51st must not matter.
    assert line_hashes("😀" * 50 + "a")[0] == line_hashes("😀" * 50 + "b")[0]
    assert line_hashes("😀" * 49 + "a")[0] != line_hashes("😀" * 49 + "b")[0]


def test_sarif_follows_our_reading_of_the_schema(tmp_path):
    schema = json.loads((Path(__file__).parent / "sarif-2.1.0-part.json").read_text())
    document = json.loads(sarif.render(sample.report(), sample.options(tmp_path)))
    validator = jsonschema.Draft7Validator(schema)
    validator.validate(document)
    for change in ({"columnKind": "bytes"}, {"results": None}, {"tool": {"driver": {"rules": []}}}):
        broken = {**document, "runs": [{**document["runs"][0], **change}]}
        with pytest.raises(jsonschema.ValidationError):
            validator.validate(broken)


@pytest.mark.skipif("SARIF_SCHEMA" not in os.environ, reason="SARIF_SCHEMA does not name a copy of the OASIS schema")
def test_sarif_follows_the_schema_of_oasis(tmp_path):
    schema = json.loads(Path(os.environ["SARIF_SCHEMA"]).read_text(encoding="utf-8"))
    document = json.loads(sarif.render(sample.report(), sample.options(tmp_path)))
    jsonschema.validators.validator_for(schema)(schema).validate(document)


def test_a_timeline_without_groups_is_left_out(tmp_path):
    finding = replace(sample.guarded(), timeline=Timeline((), (), ""), trail=())
    assert "codeFlows" not in run(Report((finding,)), sample.options(tmp_path))["results"][0]
