"""What of a symbol is text?"""

from __future__ import annotations

from dtlint.machine.library.python.own_order import text_like
from dtlint.machine.values import Symbols


def test_the_number_of_a_thing_is_no_place_in_a_row():
    assert text_like(Symbols().of("item", 3)) == (3,)


def test_a_place_in_a_row_that_is_written_down_says_nothing_of_the_others():
    symbols = Symbols()
    name, count = symbols.of("text"), symbols.of("count")
    assert text_like(symbols.of("item", (count, name), 1)) == (name,)
