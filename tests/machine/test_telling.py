"""Whose a name is decides whether it says something of ranks."""

from __future__ import annotations

import pytest

from dtlint.ir.functions import functions_of
from dtlint.machine.lanes import World
from dtlint.machine.run import make_machine
from dtlint.machine.starts import telling
from tests.machine.programs import Files, knowledge


def tells(head: str, line: str, **others: str) -> bool:
    project = Files({"main.py": f"{head}\ndef f(self, x):\n    {line}\n", **others})
    machine = make_machine(project, knowledge(), World.parse("2x2"), 1000)  # type: ignore[arg-type]
    function = next(function for function, _ in functions_of(project.tree("main.py")))
    return telling.tells(machine, "main.py", function)


@pytest.mark.parametrize(
    ("head", "line"),
    [
        ("import torch.nn.functional as F", "return F.softmax(x)"),  # that of JAX is the one which is followed
        ("import torch", "return torch.matmul(x, x)"),
        ("import torch", "return x.to(device=x.device)"),
        ("import torch", "return torch.gather(x, 1, x)"),
        ("import torch", "return x.replace('a', 'b')"),
        ("import torch", "return x.repeat(2)"),
    ],
)
def test_a_word_that_is_not_the_library_s(head: str, line: str) -> None:
    assert not tells(head, line)


@pytest.mark.parametrize(
    ("head", "line"),
    [
        ("import jax", "return jax.nn.softmax(x)"),
        ("import torch", "return torch.device('cuda')"),
        ("import torch.distributed as dist", "dist.all_reduce(x)"),
        ("import torch", "torch.distributed.gather(x)"),
        ("import torch", "return self.comm.get_rank()"),
        ("import time", "return self.perf_counter() > x"),
        ("import torch", "import time\n    return time.perf_counter()"),
        ("import os", "return os.environ['RANK']"),
        ("import torch", "for rank in x: pass"),
        ("import tensorflow", "return x.repeat(2)"),
    ],
)
def test_a_name_that_tells(head: str, line: str) -> None:
    assert tells(head, line)


def test_what_the_program_gives_may_be_anything() -> None:
    assert tells("from helpers import device", "return device(x)", **{"helpers.py": "from torch import device"})
