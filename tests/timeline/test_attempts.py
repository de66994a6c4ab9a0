"""What does a rank do that fails alone?"""

from __future__ import annotations

import pytest

from tests.machine.programs import codes

STEP = """
model = nn.parallel.DistributedDataParallel(nn.Linear(2, 2))
def step():
    model(torch.ones(2)).sum().backward()
"""


@pytest.mark.parametrize(
    "test, expected", [("if True:", ["DT105"]), ("if kind is None:", []), ("if kind is not None:", ["DT105"])]
)
def test_the_way_out_of_a_context_manager(test, expected):
    source = f"""
class Session:
    def __enter__(self):
        return self
    def __exit__(self, kind, value, traceback):
        {test}
            dist.barrier()

with Session():
    step()
"""
    assert codes(STEP + source) == expected


def test_a_rank_that_lets_the_waiting_ones_go():
    source = """
from contextlib import contextmanager

@contextmanager
def first():
    try:
        if rank != 0:
            dist.barrier()
        yield
    finally:
        if rank == 0:
            dist.barrier()

with first():
    step()
"""
    assert "DT105" not in codes(STEP + source)


def test_a_call_of_all_in_finally_waits_for_the_failed():
    assert codes(STEP + "try:\n    step()\nfinally:\n    dist.barrier()\n") == ["DT105"]


@pytest.mark.parametrize("types", ["RuntimeError", "torch.cuda.OutOfMemoryError", "Exception"])
def test_a_swallowed_step(types):
    source = f"for _ in range(9):\n    try:\n        step()\n    except {types}:\n        continue\n"
    assert codes(STEP + source) == ["DT106"]


@pytest.mark.parametrize("types", ["ImportError", "FileNotFoundError", "StopIteration"])
def test_what_strikes_every_rank_is_left_alone(types):
    assert codes(STEP + f"for _ in range(9):\n    try:\n        step()\n    except {types}:\n        continue\n") == []


@pytest.mark.parametrize(
    "body, expected",
    [
        ('int(os.environ.get("A", "0"))', []),
        ('torch.load("a")["count"]', []),
        ('torch.load(f"a{rank}")["count"]', ["DT106"]),
    ],
)
def test_a_body_that_cannot_fail_alone_fails_everywhere(body, expected):
    source = f"""
try:
    count = {body}
except ValueError:
    count = 0
if count:
    dist.barrier()
"""
    assert codes(source) == expected
