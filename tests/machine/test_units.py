"""Does it matter who does the work, and in which order?"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from dtlint import engine
from dtlint.config import Config
from dtlint.listing import listed
from dtlint.machine import run, units
from dtlint.machine.library import whole_project
from dtlint.machine.names.frames import Frame
from dtlint.machine.names.scopes import load_module

# Modules that import each other in a circle bind differently depending on which one is loaded first.
CIRCLE = {
    "pack/__init__.py": "from pack.first import enter\n",
    "pack/first.py": (
        "import torch.distributed as dist\n"
        "from pack import second\n"
        "DEFAULT = second.limit()\n"
        "def enter(flag):\n"
        "    if dist.get_rank() == 0:\n"
        "        second.meet(flag)\n"
    ),
    "pack/second.py": (
        "import torch.distributed as dist\n"
        "from pack import first\n"
        "def limit():\n"
        "    return 3\n"
        "def meet(flag):\n"
        "    if flag and getattr(first, 'DEFAULT', 0):\n"
        "        dist.barrier()\n"
    ),
}
SCRIPT = "import pack\nimport torch.distributed as dist\nif __name__ == '__main__':\n    pack.enter({number} > 2)\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[object, Config]:
    scripts = {f"run_{number:02}.py": SCRIPT.format(number=number) for number in range(units.WORTH_FORKING + 2)}
    for name, text in {**CIRCLE, **scripts}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    config = replace(Config(), cache=False)
    return engine._project(listed(["."], config, None), config), config


def test_one_process_or_two_reach_and_touch_the_same(project: tuple[object, Config]) -> None:
    seen = []
    for jobs in (1, 2):
        machine = run.machine_for(project[0], engine._knowledge(project[1]), project[1])
        outcomes = units.run_all(machine, project[0].selected, lambda one: ([], [], []), jobs)
        seen.append({done.unit: (done.reached, done.touched) for done in outcomes})
    assert seen[0] == seen[1]
    assert any(("pack/second.py", "meet") in reached for reached, _ in seen[0].values())


TABLE = {
    "table.py": "TASKS = {}\ndef entered(kind):\n    TASKS[kind.__name__] = kind\n    return kind\n",
    "tasks/__init__.py": "",
    "tasks/late.py": (
        "import torch.distributed as dist\nfrom table import entered\n"
        "@entered\nclass Late:\n    def go(self):\n        if dist.get_rank() == 0:\n            dist.barrier()\n"
    ),
    "go.py": (
        "import importlib\nimport torch.distributed as dist\nfrom table import TASKS\n"
        "if __name__ == '__main__':\n    dist.init_process_group()\n"
        "    importlib.import_module('tasks.' + input())\n    TASKS['Late']().go()\n    dist.destroy_process_group()\n"
    ),
}


def test_a_class_is_found_in_a_table_by_one_process_and_by_two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is entered where its module is loaded, which the program only does by a name that somebody types in."""
    monkeypatch.chdir(tmp_path)
    meets = "import torch.distributed as dist\ndef meet():\n    dist.barrier()\n"
    others = {f"other_{number}.py": meets for number in range(units.WORTH_FORKING)}
    for name, text in {**TABLE, **others}.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")
    config = replace(Config(), cache=False)
    project = engine._project(listed(["."], config, None), config)
    for jobs in (1, 2):
        machine = run.machine_for(project, engine._knowledge(config), config)
        outcomes = units.run_all(machine, project.selected, lambda one: ([], [], []), jobs)
        reached = {done.unit: done.reached for done in outcomes}
        assert ("tasks/late.py", "Late.go") in reached[units.Unit(1, "go.py")]


LATE = "import torch.distributed as dist\ndef meet():\n    dist.barrier()\n"
ALL = (
    "import importlib, pkgutil\nfor _, name, _ in pkgutil.iter_modules(__path__):\n    importlib.import_module(name)\n"
)
ASKS = (
    "import importlib\nimport torch.distributed as dist\ndef there(name):\n    try:\n"
    "        importlib.import_module(name)\n        dist.barrier()\n    except ImportError:\n        return False\n"
)


@pytest.mark.parametrize(
    ("init", "imported"),
    [(ALL, True), ("import os\nfrom asks import there\nfor name in os.listdir():\n    there(name)\n", False)],
    ids=["its own file", "a helper"],
)
def test_a_helper_elsewhere_does_not_import_the_modules_of_a_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, init: str, imported: bool
) -> None:
    """`import_module(name)` in the package's own file means what lies beside it, in another file any library."""
    monkeypatch.chdir(tmp_path)
    for name, text in {"asks.py": ASKS, "pack/__init__.py": init, "pack/late.py": LATE}.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")
    config = replace(Config(), cache=False)
    project = engine._project(listed(["."], config, None), config)
    machine = run.machine_for(project, engine._knowledge(config), config)
    run.load_first(machine, "pack/__init__.py")
    assert ("pack/late.py" in machine.modules) is imported


@pytest.mark.parametrize("first", sorted(CIRCLE))
def test_a_module_is_the_same_whoever_is_asked_first(project: tuple[object, Config], first: str) -> None:
    machine = run.machine_for(project[0], engine._knowledge(project[1]), project[1])
    machine.frame = Frame(first, "<module>", None, None, None, machine.world.full)
    load_module(machine, first)
    bound = {path: set(frame.variables) for path, frame in machine.modules.items()}
    assert bound["pack/first.py"] >= {"second", "DEFAULT", "enter"}
    assert bound.keys() >= set(CIRCLE)


def test_a_word_that_turns_up_in_another_file_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DTLINT_CACHE_DIR", raising=False)
    (tmp_path / "train.py").write_text(
        "import ending\nimport torch\nimport torch.distributed as dist\n\ndist.init_process_group('nccl')\n"
        "model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 2))\n"
        "model(torch.ones(1, 2)).sum().backward()\nending.stop()\n"
    )
    plain = "def stop():\n    print('bye')\n"
    ends = "def leave():\n    import torch\n    torch.distributed.destroy_process_group()\n"
    elsewhere = f"{ends}\n\nCALLED_AT_THE_END = [leave]\n"
    told = []
    for text in (plain, plain + elsewhere, plain):
        (tmp_path / "ending.py").write_text(text)
        found = engine.check(["."], Config(cache=True, jobs=1, root=tmp_path)).findings
        told.append([finding.code for finding in found])
    assert told == [["DT516"], [], ["DT516"]]


EXPORT = """
import torch
from pytorch_lightning import Callback, LightningModule, Trainer


class Export(Callback):
    def __init__(self, network: torch.nn.Module, folder):
        self.network = network
        self.folder = folder

    def on_train_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        torch.save(self.network.state_dict(), self.folder / "exported.pt")
"""
SUMMARY = """
from pytorch_lightning import Callback
from pytorch_lightning.utilities import rank_zero_only


class Summary(Callback):{}
    def on_fit_end(self, trainer, pl_module):
        print(pl_module)
"""


def test_a_question_to_all_files_is_asked_of_the_changed_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That hooks run on several ranks, a callback of another file says that has something done by the first alone."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DTLINT_CACHE_DIR", raising=False)
    (tmp_path / "export.py").write_text(EXPORT)
    asked: list[str] = []
    in_file = whole_project.in_file
    monkeypatch.setattr(
        whole_project, "in_file", lambda machine, what, path: asked.append(path) or in_file(machine, what, path)
    )
    told, alone = [], "\n    @rank_zero_only"
    for text in (SUMMARY.format(""), SUMMARY.format(alone), SUMMARY.format("") + "SIZE = 3\n"):
        (tmp_path / "summary.py").write_text(text)
        found = engine.check(["."], Config(cache=True, jobs=1, root=tmp_path)).findings
        told.append([finding.code for finding in found])
    assert told == [[], ["DT702"], []]
    asked.clear()
    (tmp_path / "summary.py").write_text(SUMMARY.format("") + "SIZE = 4\n")
    assert engine.check(["."], Config(cache=True, jobs=1, root=tmp_path)).findings == ()
    assert asked == ["summary.py"]


ORPHANS = """
import os, signal
from dtlint.machine import units
units.load_modules = lambda machine: None
workers = units.Workers(None, None, 2)
workers.start()
print(*(process.pid for process in workers.processes), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(not units.can_fork(), reason="processes are only forked where the system can")
def test_workers_end_when_the_run_is_killed() -> None:
    killed = subprocess.run([sys.executable, "-c", ORPHANS], capture_output=True, text=True, timeout=60)
    left = {int(pid) for pid in killed.stdout.split()}
    assert len(left) == 2
    deadline = time.monotonic() + 20
    while left and time.monotonic() < deadline:
        left = {pid for pid in left if is_running(pid)}
        time.sleep(0.05)
    assert not left


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not status.is_file() or status.read_text().rpartition(")")[2].split()[0] != "Z"
