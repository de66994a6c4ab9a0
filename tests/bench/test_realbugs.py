"""Does the replay look at the right commit, file and lines?"""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from bench import snapshots
from bench.realbugs import replay
from bench.realbugs.lists import HERE, Benign, Bug, benign, bugs, class_codes
from bench.running import Answer, Reported

BUGGY = "import x\n\n\ndef run():\n    if rank:\n        barrier()\n"
FIXED = "import x\nimport y\nimport z\n\n\ndef run():\n    barrier()\n"


def git(root: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    return subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def mirror(tmp_path: Path) -> tuple[Path, str, str]:
    """A repository with a bug and its fix, lying where a mirror has it."""
    root = tmp_path / "mirror" / "owner+name"
    (root / "pkg").mkdir(parents=True)
    git(root, "init", "--quiet")
    commits = []
    for text in (BUGGY, FIXED):
        (root / "pkg" / "train.py").write_text(text)
        (root / "pkg" / "notes.md").write_text(text)
        (root / "pkg" / "table.csv").write_text(text)
        (root / "other.py").write_text("pass\n")
        git(root, "add", ".")
        git(root, "commit", "--quiet", "-m", "c")
        commits.append(git(root, "rev-parse", "HEAD").strip())
    return tmp_path / "mirror", commits[0], commits[1]


def a_bug(mirror: tuple[Path, str, str], **changes: object) -> Bug:
    values: dict[str, object] = {
        "id": "b",
        "repo": "owner/name",
        "buggy_commit": mirror[1],
        "fix_commit": mirror[2],
        "path": "pkg/train.py",
        "first": 6,
        "last": 6,
        "kind": "k",
        "needs": "intra",
        "context_paths": (),
        "codes": ("DT101",),
    }
    return Bug(**{**values, **changes})  # type: ignore[arg-type]


def saying(monkeypatch: pytest.MonkeyPatch, **findings: tuple[str, int, str]) -> None:
    """dtlint's answers by the name of the tree: code, line, fingerprint."""

    def check(root: Path, paths: tuple[str, ...], **_: object) -> Answer:
        if root.name not in findings:
            return Answer((), 0.1, 0)
        code, line, fingerprint = findings[root.name]
        return Answer((Reported(code, "pkg/train.py", line, "", fingerprint, "default"),), 0.1, 1)

    monkeypatch.setattr(replay, "check", check)


def test_every_class_has_a_row_and_every_row_a_class() -> None:
    assert {bug.kind for bug in bugs()} == set(class_codes())
    assert all(bug.codes for bug in bugs())


def test_a_list_may_name_the_codes_of_each_bug() -> None:
    unseen = bugs(HERE / "unseen.jsonl")
    assert all(bug.codes for bug in unseen)
    assert len({bug.id for bug in unseen}) == len(unseen) > 90


def test_the_lists_are_complete_and_ids_unique() -> None:
    ids = [one.id for one in (*bugs(), *benign())]
    assert len(ids) == len(set(ids))
    assert all(bug.first <= bug.last and bug.path.endswith(".py") for bug in bugs())


def test_export_writes_files_of_of_the_commit_only(mirror: tuple[Path, str, str], tmp_path: Path) -> None:
    repository = snapshots.git_directory(mirror[0], "owner/name")
    done = snapshots.export(repository, mirror[1], "pkg/train.py", (), tmp_path / "out")
    assert (done.files, done.scope) == (2, ".")
    assert (tmp_path / "out" / "pkg" / "train.py").read_text() == BUGGY
    assert (tmp_path / "out" / "pkg" / "notes.md").exists()  # it may say how the program is started
    assert not (tmp_path / "out" / "pkg" / "table.csv").exists()


def test_large_repositories_are_narrowed_to_the_directory_around_the_path() -> None:
    paths = ["a/b/c.py", "a/b/d.py", "a/e.py", *(f"z/{number}.py" for number in range(9))]
    assert snapshots.scope_of(paths, "a/b/c.py", limit=20) == "."
    assert snapshots.scope_of(paths, "a/b/c.py", limit=5) == "a"
    assert snapshots.scope_of(paths, "a/b/c.py", limit=2) == "a/b"


def test_found_and_gone(mirror: tuple[Path, str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    saying(monkeypatch, buggy=("DT101", 5, "f"))
    outcome = replay.replay_bug(a_bug(mirror), replay.Setting(mirror[0]))
    assert (outcome.status, outcome.found, outcome.gone, outcome.elsewhere) == ("replayed", True, True, 0)


@pytest.mark.parametrize("left", [("DT101", 7, "another"), ("DT101", 1, "f")])
def test_found_but_still_there_after_the_fix(
    mirror: tuple[Path, str, str], monkeypatch: pytest.MonkeyPatch, left: tuple[str, int, str]
) -> None:
    """At the lines the bug has moved to, or elsewhere with the same fingerprint."""
    saying(monkeypatch, buggy=("DT101", 5, "f"), fixed=left)
    outcome = replay.replay_bug(a_bug(mirror), replay.Setting(mirror[0]))
    assert (outcome.found, outcome.gone) == (True, False)


def test_an_argument_is_told_where_its_call_begins(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("x = 0\ny = load(\n    1,\n    2,\n    3,\n    4,\n)\nif x:\n    z = 1\n")
    values = {"id": "b", "repo": "o/n", "buggy_commit": "c", "fix_commit": None, "path": "a.py", "kind": "k"}
    bug = Bug(**values, first=6, last=6, needs="", context_paths=(), codes=())  # type: ignore[arg-type]
    inside, whole = (
        replay.in_whole_statements(bug, file),
        replay.in_whole_statements(replace(bug, first=8, last=8), file),
    )
    assert (inside.first, inside.last) == (2, 7)
    assert (whole.first, whole.last) == (8, 8)


def test_another_code_at_the_place_is_not_the_bug(
    mirror: tuple[Path, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    saying(monkeypatch, buggy=("DT702", 6, "f"))
    outcome = replay.replay_bug(a_bug(mirror), replay.Setting(mirror[0]))
    assert (outcome.found, len(outcome.near)) == (False, 1)


def test_a_finding_elsewhere_is_counted_not_taken(
    mirror: tuple[Path, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    saying(monkeypatch, buggy=("DT101", 1, "f"))
    outcome = replay.replay_bug(a_bug(mirror), replay.Setting(mirror[0]))
    assert (outcome.found, outcome.elsewhere) == (False, 1)


@pytest.mark.parametrize("change", [{"repo": "no/where"}, {"buggy_commit": "0" * 40}, {"path": "pkg/gone.py"}])
def test_what_is_missing_is_said(mirror: tuple[Path, str, str], change: dict[str, object]) -> None:
    outcome = replay.replay_bug(a_bug(mirror, **change), replay.Setting(mirror[0]))
    assert outcome.status == "no snapshot"
    assert outcome.reason


def test_benign_places_must_stay_silent(mirror: tuple[Path, str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    def check(root: Path, paths: tuple[str, ...], **_: object) -> Answer:
        return Answer((Reported("DT101", "pkg/train.py", 6, "", "f", "default"),), 0.1, 1)

    monkeypatch.setattr(replay, "check", check)
    at, beside = (Benign("n", "owner/name", mirror[1], "pkg/train.py", line, line, ()) for line in (6, 5))
    assert replay.replay_benign(at, replay.Setting(mirror[0])).found
    assert not replay.replay_benign(beside, replay.Setting(mirror[0])).found
