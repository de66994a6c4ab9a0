"""Are the right files found, and is every path answered for?"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from dtlint.source.files import Discovery, discover, standard_input


@pytest.fixture(params=["git", "plain"])
def tree(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    for name in (
        "a.py",
        "pkg/b.py",
        "pkg/n.ipynb",
        "pkg/data.txt",
        "ignored/c.py",
        "pkg/gen_x.py",
        ".venv/v.py",
        "t/a.py",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x = 1\n")
    (tmp_path / ".gitignore").write_text("ignored/\ngen_*\n!t/\n")
    if request.param == "git":
        subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    return tmp_path


def paths(result: Discovery) -> list[str]:
    return [file.path for file in result.files]


def test_a_directory(tree: Path) -> None:
    result = discover(["."], base=tree)
    assert paths(result) == ["a.py", "pkg/b.py", "pkg/n.ipynb", "t/a.py"]
    assert not result.missing and not result.problems


def test_no_paths_mean_here(tree: Path) -> None:
    assert paths(discover([], base=tree)) == paths(discover(["."], base=tree))


def test_named_files_and_directories_are_taken_although_ignored(tree: Path) -> None:
    assert paths(discover(["pkg/gen_x.py", "ignored"], base=tree)) == ["ignored/c.py", "pkg/gen_x.py"]


def test_exclude(tree: Path) -> None:
    assert paths(discover(["."], exclude=["t/", "*.ipynb"], base=tree)) == ["a.py", "pkg/b.py"]
    named = discover(["t/a.py"], exclude=["t/"], base=tree)
    assert paths(named) == ["t/a.py"] and not named.notices
    forced = discover(["t/a.py", "a.py"], exclude=["t/"], force_exclude=True, base=tree)
    assert paths(forced) == ["a.py"]
    assert forced.notices == ["skipped t/a.py: excluded by configuration (--force-exclude)"]


def test_globs(tree: Path) -> None:
    assert paths(discover(["**/a.py"], base=tree)) == ["a.py", "t/a.py"]
    assert paths(discover(["pk?"], base=tree)) == ["pkg/b.py", "pkg/n.ipynb"]


def test_missing_paths(tree: Path) -> None:
    result = discover(["no.py", "no*.py", "a.py"], base=tree)
    assert result.missing == ["no.py", "no*.py"]
    assert paths(result) == ["a.py"]


def test_a_file_named_twice_counts_once(tree: Path) -> None:
    assert paths(discover(["a.py", "./a.py", tree / "a.py", "pkg/../a.py"], base=tree)) == ["a.py"]


def test_links(tree: Path) -> None:
    os.symlink(tree, tree / "pkg" / "up")  # a loop through a directory
    os.symlink("loop.py", tree / "pkg" / "loop.py")
    os.symlink("nothing.py", tree / "pkg" / "dead.py")
    os.symlink("b.py", tree / "pkg" / "good.py")
    result = discover(["."], base=tree)
    assert paths(result) == ["a.py", "pkg/b.py", "pkg/good.py", "pkg/n.ipynb", "t/a.py"]
    assert [(item.path, item.reason) for item in result.problems] == [
        ("pkg/dead.py", "is a symbolic link to nothing"),
        ("pkg/loop.py", "is a symbolic link that leads back to itself"),
    ]
    named = discover(["pkg/loop.py"], base=tree)
    assert not named.files and "back to itself" in named.problems[0].reason


def test_a_file_deleted_but_still_tracked(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "a.py").write_text("")
    (tmp_path / "b.py").write_text("")
    subprocess.run(["git", "-C", str(tmp_path), "add", "."], check=True)
    (tmp_path / "a.py").unlink()
    assert paths(discover(["."], base=tmp_path)) == ["b.py"]


def test_nested_gitignore_files_hold_outside_git(tmp_path: Path) -> None:
    (tmp_path / "in" / "deep").mkdir(parents=True)
    for name in ("x.py", "in/x.py", "in/deep/x.py"):
        (tmp_path / name).write_text("")
    (tmp_path / "in" / ".gitignore").write_text("/x.py\n")
    assert paths(discover(["."], base=tmp_path)) == ["in/deep/x.py", "x.py"]


def test_paths_outside_the_base(tree: Path) -> None:
    assert paths(discover(["../t"], base=tree / "pkg")) == ["../t/a.py"]


def test_odd_names(tmp_path: Path) -> None:
    for name in ("a b.py", "é.py", "-x.py", "[1].py"):
        (tmp_path / name).write_text("")
    assert paths(discover(["[1].py"], base=tmp_path)) == ["[1].py"]
    assert len(discover(["."], base=tmp_path).files) == 4


def test_a_folder_with_a_tilde(tmp_path: Path) -> None:
    (tmp_path / "~archive").mkdir()
    (tmp_path / "~archive" / "train.py").write_text("")
    found = discover(["~archive"], base=tmp_path)
    assert [file.path for file in found.files] == ["~archive/train.py"]


def test_standard_input(tmp_path: Path) -> None:
    file = standard_input(b"x", "pkg/a.py", tmp_path)
    assert (file.path, file.data) == ("pkg/a.py", b"x")
    assert standard_input(b"x", None, tmp_path).path == "<stdin>"
