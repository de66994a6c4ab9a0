"""Which attributes may a method have put there for the others, as its text says?"""

from __future__ import annotations

from dtlint.ir.functions import functions_of
from dtlint.ir.lowering import lower
from dtlint.machine.starts import entries

TEXT = """
class Model:
    def build(self, kind):
        self.net = make(kind)
        self.first, (*self.rest,) = self.net.parts()
        self.settings.kind = kind
        self.table[kind] = self.net
        self.names = []
        self.ready = True
"""


def test_only_what_may_be_a_thing_and_stands_on_the_left_itself() -> None:
    method = next(function for function, _ in functions_of(lower(TEXT, "model.py")))
    asked, made = entries.set_up.names_in(method, by_some=False)
    assert made == {"net", "first", "rest"}
    assert asked >= {"settings", "table", "names", "ready"}


def test_of_what_some_ranks_do_a_number_tells_which_have_it() -> None:
    method = next(function for function, _ in functions_of(lower(TEXT, "model.py")))
    assert entries.set_up.names_in(method, by_some=True)[1] == {"net", "first", "rest", "names", "ready"}
