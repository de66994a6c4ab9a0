"""Does the bench of judged findings count what was said then and what is said now?"""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path

import pytest

from bench.judged import __main__ as judged
from bench.judged.judgements import Judgement, Look, Place, judgements, looks, mistakes
from bench.running import Answer, Reported


def test_the_list_can_be_replayed() -> None:
    assert list(mistakes(judgements(), looks())) == []


def test_mistakes_of_a_list_are_told() -> None:
    place = Place("DT101", "train.py", 3)
    seen = [Look("a/b", "c" * 40, 10, "d" * 7)] * 2
    known = [Judgement("a/b", place, "rigth", "it hangs"), Judgement("x/y", place, "wrong", " ")]
    assert list(mistakes([*known, known[0]], seen)) == [
        "a/b: looked at twice",
        "a/b DT101 train.py:3: verdict 'rigth' is not one of ('right', 'wrong', 'unclear')",
        "x/y DT101 train.py:3: says nothing",
        "x/y DT101 train.py:3: the repository is not among the looks",
        "a/b DT101 train.py:3: verdict 'rigth' is not one of ('right', 'wrong', 'unclear')",
        "a/b DT101 train.py:3: judged twice",
    ]


@pytest.fixture
def mirror(tmp_path: Path) -> tuple[Path, str]:
    root = tmp_path / "mirror" / "owner+name"
    root.mkdir(parents=True)
    (root / "train.py").write_text("pass\n")
    (root / "run.sh").write_text("torchrun train.py\n")
    (root / "picture.png").write_text("no")
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    for arguments in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", "c"]):
        subprocess.run(["git", *identity, *arguments], cwd=root, check=True)
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=root, check=True, capture_output=True, text=True)
    return tmp_path / "mirror", commit.stdout.strip()


def test_then_and_now(mirror: tuple[Path, str], monkeypatch: pytest.MonkeyPatch) -> None:
    laid_out: list[str] = []

    def check(root: Path, **options: object) -> Answer:
        laid_out.extend(sorted(path.name for path in root.iterdir()))
        said = [("DT101", 1), ("DT201", 9)]
        return Answer(tuple(Reported(code, "train.py", line, "m", "f", "default") for code, line in said), 1.0, 1)

    monkeypatch.setattr(judged, "check", check)
    look = Look("owner/name", mirror[1], 1, "d" * 7)
    known = [
        Judgement("owner/name", Place("DT101", "train.py", 1), "wrong", "nobody calls it"),
        Judgement("owner/name", Place("DT102", "train.py", 1), "right", "the others wait"),
    ]
    one = judged.compare(look, known, argparse.Namespace(mirror=mirror[0], clone=False, limit=9.0))
    assert laid_out == ["run.sh", "train.py"]
    assert (one.left, one.gone) == ((known[0],), (known[1],))
    assert [item.code for item in one.fresh] == ["DT201"]
    assert list(judged.by_code(known, [one])) == [
        ("DT101", 0, 1, 0, 0, 1, 0),
        ("DT102", 1, 0, 0, 0, 0, 0),
        ("DT201", 0, 0, 0, 0, 0, 1),
        ("all", 1, 1, 0, 0, 1, 1),
    ]
