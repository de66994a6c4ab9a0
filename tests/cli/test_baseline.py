"""Does a baseline hide what was there, and nothing else?"""

from __future__ import annotations

import json

import pytest

HANG = "import torch.distributed as dist\ndist.barrier()  # HANG\n"
FILE = "known.json"
USE = ("--baseline", FILE)


@pytest.fixture
def old(dtlint, project):
    (project / "old.py").write_text(HANG)
    done = dtlint("check", *USE, "--update-baseline")
    assert (done.code, done.out) == (0, "")
    assert "1 finding written to known.json" in done.err
    return project


def test_only_what_is_new_is_reported(dtlint, old):
    done = dtlint("check", *USE)
    assert (done.code, "1 in the baseline" in done.out) == (0, True)
    (old / "new.py").write_text(HANG)
    (old / "old.py").write_text("# moved\n" + HANG + "dist.barrier()  # HANG again\n")
    done = dtlint("check", *USE, "--output-format", "concise")
    assert done.code == 1
    assert [line.rpartition(": DT101")[0] for line in done.out.splitlines()] == ["new.py:2:19", "old.py:4:19"]


def test_it_is_the_same_finding_from_a_directory_below(dtlint, project, monkeypatch):
    (project / "src").mkdir()
    (project / "src" / "old.py").write_text(HANG)
    (project / "dtlint.toml").write_text(f'baseline = "{FILE}"\n')
    assert dtlint("check", "--update-baseline").code == 0
    monkeypatch.chdir(project / "src")
    assert dtlint("check").code == 0
    assert dtlint("check", "--isolated").code == 1


def test_what_was_mended_is_said_where_it_was_looked_for(dtlint, old):
    (old / "other.py").write_text("import torch.distributed\n")
    assert "no longer found" not in dtlint("check", "other.py", *USE).err
    (old / "old.py").unlink()
    done = dtlint("check", *USE)
    assert (done.code, "1 finding of known.json no longer found" in done.err) == (0, True)
    dtlint("check", *USE, "--update-baseline")
    assert json.loads((old / FILE).read_text())["findings"] == []


def test_sarif_has_all_and_tells_them_apart(dtlint, old):
    (old / "new.py").write_text(HANG)
    run = json.loads(dtlint("check", *USE, "--output-format", "sarif").out)["runs"][0]
    assert [result["baselineState"] for result in run["results"]] == ["new", "unchanged"]
    assert {result["ruleIndex"] for result in run["results"]} == {0}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "there is no such baseline"),
        ("[", "not a baseline"),
        ("[]", "not a baseline"),
        ('{"schema": "other/2", "findings": []}', "not a baseline that this dtlint reads"),
        ('{"schema": "dtlint-baseline/1", "findings": [{"x": 1}]}', "not a baseline"),
    ],
)
def test_a_baseline_that_cannot_be_read_ends_the_check(dtlint, project, text, said):
    (project / "a.py").write_text(HANG)
    if text is not None:
        (project / FILE).write_text(text)
    done = dtlint("check", *USE)
    assert (done.code, said in done.err, done.out) == (2, True, "")


def test_no_baseline_of_a_part(dtlint, project):
    (project / "broken.py").write_text("import torch.distributed\ndef f(:\n")
    done = dtlint("check", *USE, "--update-baseline")
    assert (done.code, "could not be analysed" in done.err, (project / FILE).exists()) == (2, True, False)
    assert dtlint("check", *USE, "--update-baseline", "--allow-incomplete").code == 0
    assert dtlint("check", *USE, "--update-baseline", "--select", "DT101").code == 2
    assert dtlint("check", "--update-baseline").code == 2
