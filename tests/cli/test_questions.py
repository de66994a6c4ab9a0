"""Do the commands that answer questions answer them, and say what they could not look at?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

LOOK = """import torch.distributed as dist
if dist.get_rank() == 0:
    dist.barrier()
"""
BROKEN = "import torch.distributed\ndef f(:\n"


@pytest.fixture
def asked(tmp_path, monkeypatch, capsys):
    """The real machine, asked in this process."""
    from dtlint.__main__ import main

    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(LOOK)
    (tmp_path / "broken.py").write_text(BROKEN)
    cells = [
        {"cell_type": kind, "source": text.splitlines(True), "metadata": {}}
        for kind, text in (("markdown", "# title"), ("code", LOOK))
    ]
    (tmp_path / "nb.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}}, indent=1))

    def run(*arguments):
        with pytest.raises(SystemExit) as ending:
            main([*arguments, *(() if arguments[0] == "explain" else ("--no-cache", "-j", "1"))])
        said = capsys.readouterr()
        return ending.value.code, said.out, said.err

    return run


def test_list_collectives_is_a_table_and_says_what_it_could_not_read(asked):
    code, out, err = asked("list-collectives")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == ["where", "nb.ipynb:cell", "train.py:3"]
    assert len({line.index("barrier  world") for line in out.splitlines()[1:]}) == 1
    assert "incomplete broken.py:2" in err and "2 places" in err


def test_list_collectives_for_programs_counts_lines_of_the_file(asked):
    sites = json.loads(asked("list-collectives", "nb.ipynb", "--format", "json")[1])
    text = Path("nb.ipynb").read_text().split("\n")
    assert [("dist.barrier()" in text[site["line"] - 1]) for site in sites] == [True]


def test_why(asked):
    code, out, _ = asked("why", "train.py:3")
    assert (code, out.splitlines()[-1]) == (0, "train.py:3: barrier() is reached below that decision")
    assert "nothing on this line" in asked("why", "train.py:1")[1]


def test_why_in_a_notebook(asked):
    code, out, _ = asked("why", "nb.ipynb:cell 2:3")
    assert (code, out.splitlines()[-1]) == (0, "nb.ipynb:cell 2:3: barrier() is reached below that decision")


@pytest.mark.parametrize(
    ("place", "code", "said"),
    [
        ("train.py", 2, "not of the form"),
        ("train.py:4", 2, "train.py has 3 lines"),
        ("tr*n.py:1", 2, "tr*n.py is not among"),
        ("train.py:0", 2, "train.py has 3 lines"),
        ("nb.ipynb:3", 2, "cell CELL:LINE"),
        ("nb.ipynb:cell 1:1", 2, "number of a code cell"),
        ("broken.py:1", 3, "incomplete broken.py:2"),
        ("gone.py:1", 2, "no such file"),
    ],
)
def test_why_says_what_is_wrong_with_the_place(asked, place, code, said):
    found, out, err = asked("why", place)
    assert (found, out, said in err) == (code, "", True), err


def test_a_family_cannot_be_explained_but_listed(asked):
    code, _, err = asked("explain", "DT8")
    assert (code, "dtlint rules --select DT8" in err) == (2, True)


def test_an_explained_rule_says_whether_a_run_can_show_it(asked):
    assert "`--verify` can show it" in asked("explain", "DT101")[1]
    assert "--verify" not in asked("explain", "DT705")[1]


def test_findings_in_notebooks_speak_of_cells_everywhere(asked):
    code, out, _ = asked("check", "nb.ipynb", "--color", "never")
    assert code == 1
    assert "line 2 of cell 2" in out and "nb.ipynb:cell 2:3:5" in out
    assert "3 │     dist.barrier()" in out
    assert not [line for line in out.splitlines() if "nb.ipynb:" in line and "cell 2:" not in line]


def test_a_misspelt_rule_in_per_file_ignores_is_a_mistake(asked, tmp_path):
    (tmp_path / "dtlint.toml").write_text('[per-file-ignores]\n"*" = ["DT1019"]\n')
    assert asked("check", "train.py")[0] == 2
