"""Was a list made as long as those of the other ranks are?"""

from __future__ import annotations

from dtlint.machine.control.agreeing import plain
from dtlint.machine.values import Symbol, Unknown, Value

FILLED = "filled"  # first word of the symbol of a list that was made as long as it is on all ranks
SETTINGS = frozenset({"attr", "item", "parameter", "environment"})  # first words of what somebody has set


def is_filled(long: Value, short: Value, asked: Symbol) -> bool:
    """`if largest > len(mine): mine.extend(mine[: largest - len(mine)])`: whoever need not has as many already."""
    if not isinstance(long, Unknown) or not isinstance(short, Unknown) or long.symbol.key[:2] != (FILLED, short.symbol):
        return False
    if not is_worked_out(long.symbol.key[2]):
        return False
    sides = (
        [one for one in asked.key[1:] if isinstance(one, Symbol)] if str(asked.key[0]).startswith("compare ") else []
    )
    missing = [part for one in sides if one.key[0] == "op -" for part in one.key[1:] if isinstance(part, Symbol)]
    return any(one.key[0] == "len" and short.symbol in one.key for one in (*sides, *missing))


def is_worked_out(share: object) -> bool:
    """The most that any rank has, or as many as there are for each; some may have more than a setting says."""
    return isinstance(share, Symbol) and plain(share).key[0] not in SETTINGS
