"""Does a project select, parse and remember the right files?"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from dtlint.project import loading
from dtlint.project.modules import Project
from dtlint.source.files import discover
from dtlint.source.text import Incomplete, SourceFile
from tests.ir.programs import Writer
from tests.ir.shape import shape

TOKENS = frozenset((b"torch.distributed", b"all_reduce"))
LEADING = frozenset((b"barrier", b"all_reduce"))


def write(folder: Path, files: dict[str, str]) -> list[SourceFile]:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8", newline="")
    return discover(["."], base=folder).files


def selected(folder: Path, files: dict[str, str]) -> set[str]:
    return set(Project.build(write(folder, files), TOKENS, leading=LEADING).selected)


WRAPPER = "import torch.distributed as dist\n\ndef sync(x):\n    dist.barrier()\n\ndef other():\n    pass\n"


def test_who_asks_only_whether_a_package_is_there_is_no_wrapper(tmp_path: Path) -> None:
    asking = "def has_distributed():\n    import torch.distributed\n    return torch.distributed.is_available()\n"
    files = {"tools.py": asking, "model.py": "from tools import has_distributed\nprint(has_distributed())\n"}
    assert selected(tmp_path, files) == {"tools.py"}


def test_a_caller_of_a_wrapper_is_kept(tmp_path: Path) -> None:
    files = {
        "comm.py": WRAPPER,
        "train.py": "from comm import sync\nsync(1)\n",
        "lib.py": "import comm\ndef step():\n    comm.sync(2)\n",
        "main.py": "from lib import step as s\ns()\n",
        "plain.py": "from comm import other\nother()\n",
        "alone.py": "def sync(): pass\nsync()\n",
    }
    assert selected(tmp_path, files) == {"comm.py", "train.py", "lib.py", "main.py"}


def test_through_packages_stars_and_aliases(tmp_path: Path) -> None:
    files = {
        "pkg/__init__.py": "from .api import *\nfrom .more import helper as aid\n",
        "pkg/api.py": WRAPPER,
        "pkg/more.py": "from pkg import api\n\ndef helper():\n    api.sync(1)\n",
        "one.py": "from pkg import sync as s\ns(1)\n",
        "two.py": "import pkg\npkg.aid()\n",
        "three.py": "from pkg import *\nprint(1)\n",
    }
    assert selected(tmp_path, files) == {"pkg/__init__.py", "pkg/api.py", "pkg/more.py", "one.py", "two.py"}


def test_through_methods(tmp_path: Path) -> None:
    files = {
        "trainer.py": "class T:\n    def fit(self):\n        self._sync()\n"
        "    def _sync(self):\n        all_reduce(self)\n    def show(self):\n        pass\n",
        "fits.py": "from trainer import T\nT().fit()\n",
        "shows.py": "from trainer import T\nT().show()\n",
        "sub.py": "from trainer import T\nclass S(T):\n    pass\n",
    }
    assert selected(tmp_path, files) == {"trainer.py", "fits.py"}


def test_without_tokens_everything_is_selected(tmp_path: Path) -> None:
    project = Project.build(write(tmp_path, {"a.py": "", "b.py": ""}), None)
    assert project.selected == project.paths == ("a.py", "b.py")


def test_modules_that_are_not_selected_can_be_looked_at(tmp_path: Path) -> None:
    project = Project.build(write(tmp_path, {"a.py": "x = 1\n", "b.py": "all_reduce(1)\n"}), TOKENS)
    assert project.selected == ("b.py",)
    assert len(project.module("a.py").body) == 1
    assert project.module("a.py") is project.module("a.py")
    assert project.text("a.py") == "x = 1\n"


BROKEN = {
    "syntax.py": "def f(:\n",
    "python2.py": "print 'x'\n",
    "deep.py": "all_reduce(" * 2000 + "\n",
    "nul.py": "x\0",
    "broken.ipynb": '{"cells": [',
    "cell.ipynb": json.dumps(
        {"cells": [{"cell_type": "markdown", "source": "t"}, {"cell_type": "code", "source": ["a\n", "b ="]}]},
        indent=0,
    ),
}


@pytest.mark.parametrize("jobs", [1, 2])
def test_bad_files_are_listed_and_the_rest_is_there(tmp_path: Path, jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "PARALLEL_BYTES", 0)
    files = write(tmp_path, {**BROKEN, "good.py": "all_reduce(1)\n", "fine.py": "x = 1\n"})
    for _ in range(2):  # the second time out of the cache
        project = Project.build(files, TOKENS, jobs, tmp_path / "cache")
        assert project.selected == ("good.py",)
        reasons = {problem.path: (problem.line, problem.reason) for problem in project.problems}
        assert reasons["syntax.py"] == (1, "cannot be parsed: invalid syntax")
        assert "looks like Python 2" in reasons["python2.py"][1]
        assert reasons["deep.py"] == (1, "cannot be parsed: too deeply nested")
        assert "NUL" in reasons["nul.py"][1]
        assert "not a valid notebook" in reasons["broken.ipynb"][1]
        assert reasons["cell.ipynb"][1].endswith("(cell 2, line 2)")
        assert '"b ="' in BROKEN["cell.ipynb"].split("\n")[reasons["cell.ipynb"][0] - 1]
        assert len(reasons) == len(project.problems) == 6
        assert project.module("syntax.py").body == ()


def test_processes_and_cache_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "PARALLEL_BYTES", 0)
    files = write(tmp_path, {f"m{seed}.py": "all_reduce\n" + Writer(seed).program() for seed in range(12)})
    plain = Project.build(files, TOKENS)
    wanted = [shape(plain.module(path)) for path in plain.paths]
    cold = Project.build(files, TOKENS, 2, tmp_path / "cache")
    assert [shape(cold.module(path)) for path in cold.paths] == wanted
    monkeypatch.setattr(loading, "lowered", None)  # nothing may be parsed any more
    warm = Project.build(files, TOKENS, 2, tmp_path / "cache")
    assert [shape(warm.module(path)) for path in warm.paths] == wanted


def test_a_damaged_cache_is_ignored(tmp_path: Path) -> None:
    files = write(tmp_path, {"a.py": "all_reduce(1)\n", "b.py": "x = 1\n"})
    Project.build(files, TOKENS, 1, tmp_path / "cache")
    stored = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert len(stored) == 4  # two surveys, a tree, the list of clean files
    for path in stored:
        path.write_bytes(b"12\n[garbage")
    project = Project.build(files, TOKENS, 1, tmp_path / "cache")
    assert len(project.module("a.py").body) == 1 and not project.problems


def test_a_cache_that_cannot_be_written_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    project = Project.build([SourceFile("a.py", tmp_path / "a.py", b"all_reduce(1)\n")], TOKENS, 1, tmp_path / "file")
    assert project.selected == ("a.py",)


def test_a_worker_that_dies_costs_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "PARALLEL_BYTES", 0)
    real = loading.lowered

    def deadly(text: str, path: str) -> object:
        if path == "b.py":
            os._exit(9)
        return real(text, path)

    monkeypatch.setattr(loading, "lowered", deadly)
    files = write(tmp_path, {f"{name}.py": "all_reduce(1)\n" for name in "abcd"})
    project = Project.build(files, TOKENS, 2)
    assert project.selected == ("a.py", "c.py", "d.py")
    assert project.problems == [Incomplete("b.py", 1, "cannot be parsed: the parser crashed")]


def test_progress_counts_every_file(tmp_path: Path) -> None:
    counted: list[int] = []
    files = write(tmp_path, {"a.py": "all_reduce\n", "b.py": "x\n", "c.py": "y\n"})
    for _ in range(2):
        counted.clear()
        Project.build(files, TOKENS, 1, tmp_path / "cache", counted.append)
        assert sum(counted) == 3


def test_line_ends_do_not_hide_imports(tmp_path: Path) -> None:
    files = {"comm.py": WRAPPER.replace("\n", "\r"), "train.py": "from comm import (\r\n    sync,\r\n)\r\nsync(1)\r\n"}
    assert selected(tmp_path, files) == {"comm.py", "train.py"}
