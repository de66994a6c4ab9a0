"""What does a program learn by asking an object for what it has?"""

from __future__ import annotations

import pytest

from dtlint.machine.names import attributes
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


LAZY = """
class Lazy:
    def __init__(self, **fields):
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def __getattr__(self, name):
        if self.parent is None and not self.sealed:
            self.made = self.builder(self.given, self.defaults)
        for table in (self.made, self.given, self.defaults):
            if name in table:
                return table[name]
        raise AttributeError(name)

print(Lazy(rank=rank).loss)
"""


def test_getattr_does_not_ask_itself_for_what_it_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    found_by = attributes.found_by

    def noted(machine, fallback, thing, name, mask):
        asked.append(name)
        return found_by(machine, fallback, thing, name, mask)

    monkeypatch.setattr(attributes, "found_by", noted)
    run(LAZY)
    assert set(asked) == {"loss"}
