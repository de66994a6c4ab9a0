"""Does every format say all there is, and survive what it must escape?"""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len

from dtlint.report import concise, full, github, gitlab, junit, sarif
from dtlint.report import json as json_format
from dtlint.report.model import Report
from tests.report import sample

KEYS = [
    "code", "slug", "effect", "severity", "tier", "message", "remedy", "path", "line", "column", "end_line",
    "end_column", "lanes", "trail", "timeline", "fingerprint", "verdict",
]  # fmt: skip


@pytest.mark.parametrize("width", [60, 80, 120])
def test_full_at_usual_widths(width, golden, tmp_path):
    text = full.render(sample.report(), sample.options(tmp_path, width=width))
    golden(f"full-{width}.txt", text)
    assert "\x1b" not in text
    assert max(cell_len(line) for line in text.splitlines()) <= width


def test_full_in_ascii(golden, tmp_path):
    text = full.render(sample.report(), sample.options(tmp_path, ascii=True))
    golden("full-ascii.txt", text.encode("ascii", "backslashreplace").decode())
    assert not set("●◌·│─…") & set(text)


def test_full_in_color_has_the_same_words(tmp_path):
    import re

    plain = full.render(sample.report(), sample.options(tmp_path))
    color = full.render(sample.report(), sample.options(tmp_path, color=True))
    assert "\x1b[" in color
    assert [line.rstrip() for line in re.sub(r"\x1b\[[0-9;]*m", "", color).splitlines()] == plain.splitlines()


def test_markup_and_control_characters_of_sources_are_shown_not_obeyed(tmp_path):
    finding = replace(
        sample.guarded(), message="a[red]b [/foo] \x1b[2J \u202e end", span=replace(sample.guarded().span, path="x.py")
    )
    finding = replace(finding, line_text="        f('\x1b]0;title\x07')")
    for module in (full, concise):
        text = module.render(Report((finding,)), sample.options(tmp_path))
        assert "a[red]b [/foo]" in text
        assert not set("\x1b\x07\u202e") & set(text)


def test_concise(golden, tmp_path):
    golden("concise.txt", concise.render(sample.report(), sample.options(tmp_path)))


def test_json_has_exactly_the_promised_keys(golden, tmp_path):
    text = json_format.render(sample.report(), sample.options(tmp_path))
    golden("report.json", text)
    document = json.loads(text)
    assert list(document) == ["schema", "findings", "summary"]
    assert document["schema"] == "dtlint/1"
    assert list(document["summary"]) == ["files", "analysed", "incomplete"]
    in_files = [item for item in document["findings"] if not item["path"].endswith(".ipynb")]
    assert len(in_files) == 2
    assert all(list(item) == KEYS for item in in_files)
    assert [item["cell"] for item in document["findings"] if "cell" in item] == [{"number": 3, "line": 2, "column": 5}]


def test_json_survives_a_file_name_that_is_not_unicode(tmp_path):
    finding = replace(sample.guarded(), span=replace(sample.guarded().span, path="caf\udce9.py"))
    document = json.loads(json_format.render(Report((finding,)), sample.options(tmp_path)))
    assert document["findings"][0]["path"] == "caf?.py"


def test_github_escapes_and_never_prints_a_command(golden, tmp_path):
    text = github.render(sample.report(), sample.options(tmp_path))
    golden("github.txt", text)
    commands = [line for line in text.splitlines() if line.startswith("::")]
    assert len(commands) == 3
    assert any(
        "file=data dir/präp%2Ca%3Ab%25.py" in line and "while%0Aother" in line and "100%25" in line for line in commands
    )


def test_github_keeps_ten_of_each_level_and_says_so(tmp_path):
    errors = [replace(sample.guarded(), message=f"::error::##[set-env]{number}") for number in range(12)]
    warnings = [replace(sample.race(), message=f"warning {number}") for number in range(11)]
    text = github.render(Report(tuple(errors + warnings)), sample.options(tmp_path))
    lines = text.splitlines()
    assert sum(line.startswith("::error ") for line in lines) == 10
    assert sum(line.startswith("::warning ") for line in lines) == 10
    assert "20 of 23 findings annotated, the other 3" in lines[-1]
    listed = [line for line in lines if not line.startswith("::")]
    assert len(listed) == 4
    assert not any("##[" in line for line in listed)


def test_github_paths_are_relative_to_the_repository(tmp_path):
    inner = tmp_path / "pkg"
    inner.mkdir()
    text = github.render(Report((sample.guarded(),)), replace(sample.options(tmp_path), root=inner))
    assert "file=pkg/train.py,line=7,endLine=7,col=9,endColumn=23," in text


def test_step_summary_fits_and_has_the_rank_table(golden, tmp_path):
    options = sample.options(tmp_path)
    golden("summary.md", github.summary(sample.report(), options))
    many = Report(tuple(sample.guarded() for _ in range(3000)))
    text = github.summary(many, options)
    assert len(text.encode()) <= 1_048_576
    assert text.rstrip().endswith("the log has it all)")


def test_gitlab(golden, tmp_path):
    text = gitlab.render(sample.report(), sample.options(tmp_path))
    golden("gitlab.json", text)
    assert json.loads(gitlab.render(Report(()), sample.options(tmp_path))) == []


def test_junit_is_xml_also_with_control_characters(golden, tmp_path):
    text = junit.render(sample.report(), sample.options(tmp_path))
    golden("junit.xml", text)
    tree = ElementTree.fromstring(text.encode())
    assert (tree.get("tests"), tree.get("failures"), tree.get("errors")) == ("4", "3", "1")
    odd = replace(sample.guarded(), message="\x00\x1b<&\"'\ufffe", remedy="]]>")
    ElementTree.fromstring(junit.render(Report((odd,)), sample.options(tmp_path)).encode())
    clean = ElementTree.fromstring(junit.render(Report((), files=3), sample.options(tmp_path)).encode())
    assert len(clean.findall(".//testcase")) == 1


def test_sarif_golden(golden, tmp_path):
    golden("report.sarif", sarif.render(sample.report(), sample.options(tmp_path)))


@pytest.mark.parametrize("module", [full, concise, json_format, github, sarif, gitlab, junit])
def test_same_report_same_bytes(module, tmp_path):
    options = sample.options(tmp_path)
    assert module.render(sample.report(), options) == module.render(sample.report(), options)


def test_nothing_found_is_said(tmp_path):
    text = full.render(Report((), files=4, analysed=2), sample.options(tmp_path))
    assert text == "no findings in 4 files, 2 of them analysed\n"
    assert full.render(Report((), files=4), sample.options(tmp_path, quiet=True)) == ""


def test_every_format_is_a_module():
    from dtlint.cli._outputs import FORMATS

    folder = Path(full.__file__).parent
    assert all((folder / f"{name}.py").is_file() for name in FORMATS)
