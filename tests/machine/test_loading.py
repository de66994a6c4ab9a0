"""What of a file is run when it is only looked up?"""

from __future__ import annotations

from types import SimpleNamespace

from dtlint.machine.run import load_first, machine_for
from tests.machine.programs import Files, codes, knowledge

PROGRAM = """
import torch.distributed as dist

def first(batch):
    return second(batch)

def second(batch):
    return third(batch)

def third(batch):
    return fourth(batch)

def fourth(batch):
    return fifth(batch)

def fifth(batch):
    if dist.get_rank() == 0:
        dist.all_reduce(batch)

first(torch.ones(2))
"""


def reached_by_loading(importers: set[str]) -> set[str]:
    files = Files({"program.py": PROGRAM})
    files.importers = lambda path: importers
    machine = machine_for(files, knowledge(), SimpleNamespace(world="2x2", budget=None))
    load_first(machine, "program.py")
    return {name for _, name in machine.depends["program.py"].reached}


def test_a_script_that_nobody_imports_is_not_run_twice():
    assert "fifth" not in reached_by_loading(set())
    assert codes(PROGRAM) == ["DT101"]  # it is run as a script


def test_what_others_import_is_run_to_its_depth():
    assert "fifth" in reached_by_loading({"main.py"})
