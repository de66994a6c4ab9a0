"""Which hash does GitHub's upload-sarif give a line, so that alerts are recognised after lines have moved?

A polynomial hash (base 37, modulo 2^64) over the 100 characters from the line's beginning on, blanks and tabs left
out, in UTF-16 code units, with a counter for equal hashes. Computing the same value keeps the upload free of warnings.
"""

from __future__ import annotations

import sys
from array import array

WINDOW = 100
BASE = 37
MASK = (1 << 64) - 1
END_OF_FILE = 0xFFFF
LINE_FEED, CARRIAGE_RETURN, TAB, SPACE = 10, 13, 9, 32


def line_hashes(text: str) -> list[str]:
    """`hash:count` for every line, the first line first."""
    units = array("H", text.encode("utf-16-le" if sys.byteorder == "little" else "utf-16-be", "surrogatepass"))
    characters: list[int] = []
    starts: list[int] = []
    at_start, after_return = True, False
    for unit in (*units, END_OF_FILE):
        if unit in (SPACE, TAB) or (after_return and unit == LINE_FEED):
            after_return = False
            continue
        after_return = unit == CARRIAGE_RETURN
        if after_return:
            unit = LINE_FEED
        if at_start:
            starts.append(len(characters))
        at_start = unit == LINE_FEED
        characters.append(unit)
    characters += [0] * WINDOW
    seen: dict[int, int] = {}
    hashes: list[str] = []
    for start in starts:
        value = 0
        for unit in characters[start : start + WINDOW]:
            value = (value * BASE + unit) & MASK
        seen[value] = seen.get(value, 0) + 1
        hashes.append(f"{value:x}:{seen[value]}")
    return hashes
