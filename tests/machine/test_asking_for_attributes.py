"""What does a program learn by `hasattr`?"""

from __future__ import annotations

from tests.machine.programs import choices, events, run

SOURCE = """
from transformers import Trainer

def profiled(method):
    def wrapper(self):
        if hasattr(self, "{name}"):
            return method(self)
        dist.barrier()
        return method(self)
    return wrapper

class Distiller(Trainer):
    @profiled
    def distil(self):
        dist.all_reduce(torch.ones(1))

Distiller().distil()
"""


def test_a_class_derived_from_one_of_a_library_has_what_the_packs_know():
    made = run(SOURCE.format(name="state"))
    assert choices(made) == []
    assert [op for op, _ in events(made)] == ["all_reduce"]


def test_of_anything_else_nobody_knows():
    made = run(SOURCE.format(name="something_else"))
    assert [text for text, _ in choices(made)] == ["hasattr(self, 'something_else')"]
