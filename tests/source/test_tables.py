"""Is a huge table read by its beginning, and everything else as it stands?"""

from __future__ import annotations

import ast

from dtlint.project.loading import lowered
from dtlint.source.tables import KEPT, shortened

ITEMS = [f'    "word {number}": [["sound (", "{number}"], -1.5e3, None],' for number in range(20_000)]
TABLE = "\n".join(["import torch", "table = {", *ITEMS, "}", "", "def after(x):", "    return table[x]", ""])


def test_later_lines_of_a_long_table_are_blank_and_all_lines_keep_their_numbers():
    short = shortened(TABLE)
    assert short.count("\n") == TABLE.count("\n")
    assert short.split("\n")[: KEPT + 2] == TABLE.split("\n")[: KEPT + 2]
    assert short.split("\n")[KEPT + 2 : 20_002] == [""] * (20_000 - KEPT)
    assert short.split("\n")[20_002:] == TABLE.split("\n")[20_002:]
    assert len(ast.parse(short).body[1].value.keys) == KEPT


def test_what_follows_is_found_at_its_line():
    module = lowered(TABLE, "table.py")
    assert module.body[-1].name == "after"
    assert module.body[-1].at[0] == 20_005


def test_small_files_and_lines_that_do_something_are_left_alone():
    small = "\n".join(["table = {", *ITEMS[:600], "}"])
    assert shortened(small) == small
    calls = "\n".join(["table = [", *(f'    sound("{number}"),' for number in range(20_000)), "]"])
    assert shortened(calls) == calls
    open_lines = "\n".join(["table = [", *("    [\n    1,\n    ]," for _ in range(20_000)), "]"])
    assert shortened(open_lines) == open_lines
