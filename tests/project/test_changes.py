"""Which edits of a file are whose business?"""

from __future__ import annotations

import pytest

from dtlint.ir.functions import functions_of
from dtlint.ir.lowering import lower
from dtlint.project.changes import Change, Sketch, compare, sketch, written_elsewhere

BEFORE = """\
import os

LIMIT = 3

def outer(a, b=2):
    '''What it does.'''
    def inner():
        return a
    return inner

@register
def noted():
    return 1

class Keeper:
    size = 4

    def give(self):
        return self.size

def one_line(): return 1
"""


def drawn(text: str) -> Sketch:
    module = lower(text, "a.py")
    return sketch(text, module, [function for function, _ in functions_of(module)])


def changed(old: str, new: str, elsewhere: bool = False) -> Change:
    assert old in BEFORE
    return compare(drawn(BEFORE), drawn(BEFORE.replace(old, new)), lambda name: elsewhere)


def test_a_body_is_the_business_of_those_who_run_it() -> None:
    assert changed("return inner", "return None") == Change(False, frozenset({"outer"}))
    assert changed("        return a", "        return 0") == Change(False, frozenset({"outer"}))
    assert changed("return self.size", "return 0") == Change(False, frozenset({"Keeper.give"}))
    assert changed("return 1\n\nclass", "return 2\n\nclass") == Change(False, frozenset({"noted"}))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("LIMIT = 3", "LIMIT = 4"),
        ("import os", "import os, sys"),
        ("@register\n", ""),
        ("size = 4", "size = 5"),
        ("def give(self):", "def give(self, more=0):"),
        ("class Keeper:", "class Keeper(dict):"),
    ],
)
def test_what_the_module_binds_is_everybodys_business(old: str, new: str) -> None:
    assert changed(old, new).outline


def test_lines_that_move_and_comments_change_nothing() -> None:
    assert changed("LIMIT", "\n# a limit\nLIMIT") == Change(False, frozenset())


def test_a_definition_matters_when_somebody_writes_its_name() -> None:
    new = "def added():\n    return 1\n\nclass Keeper"
    assert not changed("class Keeper", new).outline
    assert changed("class Keeper", new, elsewhere=True).outline
    assert changed("b=2", "b=3", elsewhere=True).outline
    assert changed("one_line(): return 1", "one_line(): return 2", elsewhere=True).outline


def test_a_sketch_is_the_same_after_it_was_stored() -> None:
    assert Sketch.from_plain(drawn(BEFORE).plain()) == drawn(BEFORE)


def test_the_definition_alone_is_no_mention() -> None:
    own = ("a.py", "def added():\n    pass\n")
    assert not written_elsewhere("added", "a.py", [own, ("b.py", "added_too = 1\n")])
    assert written_elsewhere("added", "a.py", [own, ("b.py", "from a import added\n")])
    assert written_elsewhere("added", "a.py", [("a.py", own[1] + "added()\n")])
