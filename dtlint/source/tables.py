"""What of a huge table of data has to be read to know that it is one?

Dictionaries of pronunciations, tables of labels: tens of thousands of lines, each a whole item of literals. Parsing
them takes minutes and tells nothing that their first lines do not. The others are left blank, so that everything else
keeps its line.
"""

from __future__ import annotations

import re

LARGE = 200_000  # characters of a file; smaller ones are parsed in no time
LONG = 500  # lines of items, one after the other
KEPT = 100  # of them; more than the machine tells apart one by one
_STRING = re.compile(r'[rbuRBU]{0,2}(?:"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\')')
_ITEM = re.compile(r"(?:[\s\[\](){},:.+\-\deE_j]|\b(?:True|False|None)\b)*,[ \t]*(?:#.*)?")


def shortened(text: str) -> str:
    """The text, with the later lines of long tables left blank."""
    if len(text) < LARGE:
        return text
    lines = text.split("\n")
    begin = 0
    for number in range(len(lines) + 1):
        if number < len(lines) and is_item(lines[number]):
            continue
        if number - begin > LONG:
            lines[begin + KEPT : number] = [""] * (number - begin - KEPT)
        begin = number + 1
    return "\n".join(lines)


def is_item(line: str) -> bool:
    """Indented, all of it literals, closed in itself, and followed by a comma."""
    if line[:1] not in (" ", "\t"):
        return False
    bare = _STRING.sub("", line)
    return _ITEM.fullmatch(bare) is not None and all(bare.count(a) == bare.count(b) for a, b in ("()", "[]", "{}"))
