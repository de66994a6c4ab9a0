"""Does `dtlint check` select, suppress, report and exit as documented, in every format alike?"""

from __future__ import annotations

import json

import pytest

from dtlint.cli._outputs import FORMATS

TORCH = "import torch.distributed as dist\n"
HANG = TORCH + "dist.barrier()  # HANG\n"
RACE = TORCH + "dist.barrier()  # RACE\n"
CLEAN = TORCH + "dist.barrier()\n"
BROKEN = TORCH + "def f(:\n"


def test_clean_findings_incomplete_and_usage_exit_alike_in_every_format(dtlint, project):
    for name, text in (("clean.py", CLEAN), ("hang.py", HANG), ("broken.py", BROKEN)):
        (project / name).write_text(text)
    for form in FORMATS:
        assert dtlint("check", "clean.py", "--output-format", form).code == 0, form
        assert dtlint("check", "hang.py", "--output-format", form).code == 1, form
        assert dtlint("check", "broken.py", "--output-format", form).code == 3, form
        assert dtlint("check", "broken.py", "hang.py", "--output-format", form).code == 1, form
        assert dtlint("check", "broken.py", "--allow-incomplete", "--output-format", form).code == 0, form
        assert dtlint("check", "hang.py", "--exit-zero", "--output-format", form).code == 0, form
        assert dtlint("check", "nowhere.py", "--output-format", form).code == 2, form


def test_nothing_is_lost_beside_a_broken_file(dtlint, project):
    (project / "broken.py").write_text(BROKEN)
    (project / "hang.py").write_text(HANG)
    document = json.loads(dtlint("check", ".", "--output-format", "json").out)
    assert [item["path"] for item in document["findings"]] == ["hang.py"]
    assert [(item["path"], item["line"]) for item in document["summary"]["incomplete"]] == [("broken.py", 2)]
    assert document["summary"]["files"] == 2


def test_fail_on(dtlint, project):
    (project / "race.py").write_text(RACE)
    assert dtlint("check").code == 1
    assert dtlint("check", "--fail-on", "warning").code == 1
    done = dtlint("check", "--fail-on", "error")
    assert done.code == 0
    assert "DT114" in done.out


def test_select_ignore_strict(dtlint, project):
    (project / "a.py").write_text(HANG + "# RACE\n# MAYBE\n")

    def codes(*arguments):
        found = json.loads(dtlint("check", *arguments, "--output-format", "json").out)["findings"]
        return " ".join(item["code"] for item in found)

    assert codes() == "DT101 DT114"
    assert codes("--strict") == "DT101 DT114 DT103"
    assert codes("--ignore", "DT114") == "DT101"
    assert codes("--ignore", "rank-guarded-collective,DT114") == ""
    (project / "dtlint.toml").write_text('ignore = ["DT101"]\n[per-file-ignores]\n"a*" = ["DT114"]\n')
    assert codes() == ""
    assert codes("--isolated") == "DT101 DT114"
    (project / "dtlint.toml").write_text('[per-file-ignores]\n"b*" = ["DT114"]\n')
    assert codes() == "DT101 DT114"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--select", "DT1O"], "no rule `DT1O`"),
        (["--output-format", "jsn"], "did you mean `json`?"),
        (["--output-format", "json="], "file name has to follow"),
        (["--output-format", "json", "--output-format", "full"], "only one output format"),
        (["--world", "4"], "HOSTSxRANKS"),
        (["--config", "none.toml"], "no such configuration file"),
        (["--nope"], "No such option"),
        (["nowhere.py"], "nowhere.py"),
        (["--output-format", "json=pyproject.toml/x"], "cannot write"),
    ],
)
def test_usage_errors_are_one_line_and_exit_2(dtlint, project, arguments, said):
    (project / "clean.py").write_text(CLEAN)
    done = dtlint("check", *arguments)
    assert done.code == 2
    assert said in done.err
    assert "Traceback" not in done.err


def test_unknown_key_in_the_configuration(dtlint, project):
    (project / "dtlint.toml").write_text("strictt = true\n")
    done = dtlint("check")
    assert done.code == 2
    assert "did you mean `strict`?" in done.err


def test_unknown_command(dtlint):
    done = dtlint("chek")
    assert done.code == 2
    assert "Did you mean `check`?" in done.err
    assert "dtlint check train.py" in dtlint("train.py").err


def test_no_files(dtlint, project):
    done = dtlint("check")
    assert done.code == 0
    assert "0 files matched" in done.out
    assert "0 files matched" in dtlint("check", "--output-format", "json").err


def test_suppressions(dtlint, project):
    (project / "a.py").write_text(TORCH + "HANG = 1  # dtlint: ignore[DT101] -- on purpose\n")
    done = dtlint("check")
    assert (done.code, done.err) == (0, "")
    assert "1 suppressed" in done.out
    (project / "a.py").write_text(TORCH + "HANG = 1  # dtlint: ignore[missing-barrier] -- wrong one\n")
    done = dtlint("check")
    assert done.code == 1
    assert "a.py:2" in done.err and "missing-barrier" in done.err
    (project / "a.py").write_text(TORCH + "HANG = 1  # dtlint: ignore[DT999] -- no such\n")
    assert "DT999" in dtlint("check").err
    (project / "a.py").write_text(TORCH + "# dtlint: ignore[DT101\nHANG = 1\n")
    done = dtlint("check")
    assert (done.code, "not closed" in done.err) == (1, True)
    (project / "a.py").write_text(TORCH + "MAYBE = 1  # dtlint: ignore[DT103] -- only reported with --strict\n")
    assert dtlint("check").err == ""
    assert dtlint("check", "--strict").err == ""


def test_a_suppression_of_a_rule_that_did_not_run_is_not_called_unused(dtlint, project):
    (project / "a.py").write_text(TORCH + "HANG = 1  # dtlint: ignore[DT101] -- on purpose\n")
    assert dtlint("check", "--select", "DT114").err == ""


def test_several_outputs_at_once(dtlint, project):
    (project / "a.py").write_text(HANG)
    done = dtlint(
        "check", "--output-format", "concise", "--output-format", "sarif=out/a.sarif", "--output-format", "json=a.json"
    )
    assert done.code == 1
    assert done.out == "a.py:2:19: DT101[rank-guarded-collective] only rank 0 says `HANG`\n"
    assert json.loads((project / "out" / "a.sarif").read_text())["runs"][0]["results"][0]["ruleId"] == "DT101"
    assert json.loads((project / "a.json").read_text())["findings"][0]["code"] == "DT101"


def test_machine_formats_leave_nothing_else_on_stdout(dtlint, project):
    (project / "a.py").write_text(HANG)
    for form in ("json", "sarif", "gitlab"):
        json.loads(dtlint("check", "--output-format", form, "--statistics").out)


def test_statistics_and_quiet(dtlint, project):
    (project / "a.py").write_text(HANG + "# HANG\n# RACE\n")
    assert "     2  DT101  rank-guarded-collective\n     1  DT114" in dtlint("check", "--statistics").out
    done = dtlint("check", "-q", "--output-format", "concise")
    assert done.err == ""
    assert len(done.out.splitlines()) == 3
    assert "3 findings (2 errors, 1 warning)" in dtlint("check", "--output-format", "concise").err


def test_color_and_its_variables(dtlint, project, monkeypatch):
    (project / "a.py").write_text(HANG)
    assert "\x1b[" not in dtlint("check").out
    assert "\x1b[" in dtlint("check", "--color", "always").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in dtlint("check").out
    monkeypatch.setenv("FORCE_COLOR", "0")
    assert "\x1b[" not in dtlint("check").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in dtlint("check").out
    assert "\x1b[" in dtlint("check", "--color", "always").out


def test_github_step_summary(dtlint, project, monkeypatch):
    (project / "a.py").write_text(HANG)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(project / "summary.md"))
    assert dtlint("check", "--output-format", "github").out.startswith("::error file=a.py,line=2")
    assert "rank 0" in (project / "summary.md").read_text()
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(project / "none" / "summary.md"))
    assert dtlint("check", "--output-format", "github").code == 1


def test_standard_input(dtlint, project, monkeypatch):
    import io
    import sys

    class Piped:
        buffer = io.BytesIO(HANG.encode())

    monkeypatch.setattr(sys, "stdin", Piped)
    done = dtlint("check", "-", "--stdin-filename", "src/train.py", "--output-format", "concise")
    assert (done.code, done.out.count("src/train.py")) == (0, 0)  # the fake machine reads from disk only
    assert "1 file" in done.err


def test_a_rule_that_fails_takes_only_itself_down(dtlint, project, monkeypatch):
    from dataclasses import replace

    from dtlint import registry
    from tests.cli import conftest

    def explode(run):
        raise KeyError("x")

    rules = {**conftest.RULES, "DT114": replace(conftest.RULES["DT114"], check=explode)}
    monkeypatch.setattr(registry, "rules", lambda extra=(): tuple(rules.values()))
    (project / "a.py").write_text(HANG)
    document = json.loads(dtlint("check", "--output-format", "json", "--no-cache").out)
    assert [item["code"] for item in document["findings"]] == ["DT101"]
    assert "rule DT114 failed: KeyError" in document["summary"]["incomplete"][0]["reason"]


def test_internal_error_is_4(dtlint, project, monkeypatch):
    from dtlint import engine

    monkeypatch.setattr(engine, "check", lambda *_, **__: 1 / 0)
    (project / "a.py").write_text(CLEAN)
    done = dtlint("check")
    assert done.code == 4
    assert "ZeroDivisionError" in done.err and "bug in dtlint" in done.err


def test_interrupt_is_130(dtlint, project, monkeypatch):
    from dtlint import engine

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(engine, "check", interrupted)
    assert dtlint("check").code == 130


def test_notebook_places(dtlint, project):
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["# title"]},
        {
            "cell_type": "code",
            "metadata": {},
            "outputs": [],
            "execution_count": None,
            "source": ["import x\n", "y = 1"],
        },
    ]
    text = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)
    (project / "nb.ipynb").write_text(text)
    from dtlint.findings import Span
    from dtlint.outcome import placed
    from dtlint.report.model import place
    from dtlint.source.notebooks import read_notebook
    from tests.cli.conftest import RULES

    finding = RULES["DT101"].finding(Span("nb.ipynb", 2, 1, 2, 2), "m", "r")
    (there,) = placed([finding], {"nb.ipynb": read_notebook(text, "nb.ipynb")})
    assert place(there) == "nb.ipynb:cell 2:2:1"
    assert text.split("\n")[there.span.line - 1].strip() == '"y = 1"'


def test_a_named_file_brings_along_what_it_imports_but_not_its_findings(dtlint, project):
    (project / "src" / "pkg").mkdir(parents=True)
    (project / "train.py").write_text("import torch.distributed\nfrom pkg.helper import save\nimport side\n")
    (project / "side.py").write_text("from dist import x\ndef (:\n")
    (project / "src" / "pkg" / "__init__.py").write_text("")
    (project / "src" / "pkg" / "helper.py").write_text(HANG + "from . import more\n")
    (project / "src" / "pkg" / "more.py").write_text("")
    from dtlint import engine
    from dtlint.config import Config

    listing = engine.listed(["train.py"], Config(root=project))
    assert [file.path for file in listing.files] == ["train.py"]
    assert [file.path for file in listing.companions] == [
        "side.py",
        "src/pkg/__init__.py",
        "src/pkg/helper.py",
        "src/pkg/more.py",
    ]
    done = dtlint("check", "train.py")
    assert (done.code, done.out) == (0, "no findings in 1 file, 1 of them analysed\n")
    assert dtlint("check", "src/pkg/helper.py", "train.py").code == 1


def test_a_configuration_further_down_is_not_passed_over_in_silence(dtlint, project):
    (project / "part").mkdir()
    (project / "part" / "a.py").write_text(HANG)
    (project / "part" / "dtlint.toml").write_text('ignore = ["DT101"]\n')
    done = dtlint("check")
    assert (done.code, "part/dtlint.toml is not used here; `dtlint check part` uses it" in done.err) == (1, True)
    done = dtlint("check", "part")
    assert (done.code, done.err) == (0, "")
