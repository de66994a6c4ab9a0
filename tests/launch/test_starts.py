"""What a launch file gives the script that it starts: `dtlint trace --like`."""

from __future__ import annotations

from pathlib import Path

import pytest

from dtlint.launch import starts
from dtlint.mistakes import Mistake

SCRIPT = "pkg/train.py"
SHELL = """\
export DATA_ROOT=/data
DATA=$DATA_ROOT/imagenet
torchrun --nproc_per_node 8 -m pkg.train --data-path $DATA --layers 1 2 ${LAST:-7} $MORE
torchrun --nproc_per_node 8 pkg/train.py --data-path $DATA --name "two words" --lr $RATE
python other.py --data-path $DATA
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("LAST", "MORE", "RATE"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "pkg").mkdir()
    (tmp_path / SCRIPT).write_text("import torch\n")
    (tmp_path / "run.sh").write_text(SHELL)
    return tmp_path


def test_words_are_given_in_their_order(project: Path) -> None:
    start = starts.chosen(SCRIPT, "run.sh:3")
    assert starts.arguments(start) == ("--data-path", "/data/imagenet", "--layers", "1", "2", "7")
    assert start.is_module
    assert starts.environment(start) == {"DATA_ROOT": "/data"}
    assert starts.unknown(start) == ["$MORE"]


def test_the_environment_fills_in_what_the_file_leaves_open(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start = starts.chosen(SCRIPT, "run.sh:3")
    monkeypatch.setenv("LAST", "9")
    monkeypatch.setenv("MORE", "--fast --seed 3")
    assert starts.arguments(start)[-4:] == ("9", "--fast", "--seed", "3")
    assert not starts.unknown(start)


def test_one_quoted_or_unknown_word_stays_one(project: Path) -> None:
    start = starts.chosen(SCRIPT, "run.sh:4")
    assert starts.arguments(start) == ("--data-path", "/data/imagenet", "--name", "two words", "--lr")
    assert starts.unknown(start) == ["$RATE"]


@pytest.mark.parametrize(
    ("place", "answer"),
    [
        ("run.sh", "in several ways; it does in line 3, 4"),
        ("run.sh:5", "line 5 of run.sh does not start pkg/train.py; it does in line 3, 4"),
        ("missing.sh", "no such file: missing.sh"),
    ],
)
def test_a_place_that_does_not_start_it_is_refused(project: Path, place: str, answer: str) -> None:
    with pytest.raises(Mistake, match=answer):
        starts.chosen(SCRIPT, place)


def test_the_places_are_named_where_a_script_wants_arguments(project: Path) -> None:
    assert starts.hint(SCRIPT, ".") == (
        "started with arguments in run.sh:3, run.sh:4: `--like run.sh:3` takes them from there"
    )
    assert starts.hint("pkg/none.py", ".") is None


def test_a_manual_shows_commands_too(project: Path) -> None:
    (project / "run.sh").unlink()
    manual = [
        "# Use",
        "```python",
        "open(",
        "```",
        "",
        "~~~",
        "$ pip install .",
        "$ torchrun pkg/train.py --fast",
        "~~~",
    ]
    (project / "README.md").write_text("\n".join([*manual, "torchrun pkg/train.py --slow", ""]))
    assert (
        starts.hint(SCRIPT, ".") == "started with arguments in README.md:8: `--like README.md:8` takes them from there"
    )
    assert starts.arguments(starts.chosen(SCRIPT, "README.md")) == ("--fast",)
