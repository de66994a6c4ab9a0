"""May a value be None, and if so, on all ranks alike?

That two ranks hold different numbers does not mean that one of them holds none: what a computation makes is always
there, and what only one side of a common decision makes is there on all ranks or on none.
"""

from __future__ import annotations

from typing import Any

from dtlint.knowledge.loader import Knowledge
from dtlint.machine.values import Symbol, Unknown

ALWAYS = "always"  # never None
ALIKE = "alike"  # None on all ranks or on none

MADE = ("op ", "compare ", "unary ")  # beginnings of what expressions are called
MADE_WHOLE = frozenset({"source", "text", "tensor", "slice", "tuple", "comprehension"})


def presence(knowledge: Knowledge, value: Unknown) -> str:
    return of_symbol(knowledge, value.symbol) or (ALIKE if value.cause is None else "")


def of_symbol(knowledge: Knowledge, symbol: Symbol) -> str:
    key = symbol.key
    what = key[0]
    if not isinstance(what, str):
        return ""
    if what in ("phi", "split"):
        sides = {of_token(knowledge, side) for side in key[2:4]}
        if sides == {ALWAYS}:
            return ALWAYS
        return ALIKE if what == "phi" and "" not in sides else ""
    if what in MADE_WHOLE or what.startswith(MADE):
        return ALWAYS
    return ALWAYS if knowledge.always_gives(what) else ""


def of_token(knowledge: Knowledge, token: Any) -> str:
    """The same of what stands for a value in a symbol's key."""
    if token is None:
        return ALIKE
    return of_symbol(knowledge, token) if isinstance(token, Symbol) else ALWAYS
