"""Did the program make the parts of all ranks equally long?

`mine + [mine[-1]] * (share - len(mine))` holds as many as `share` says, on every rank.
"""

from __future__ import annotations

from dtlint.machine.contents import containers
from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.library.computing.provenance import symbols_in
from dtlint.machine.values import Object, Symbol, Unknown, Value

REPEATED = "how often a list was repeated"  # fact of a list, where nobody knows the number
RESTS = "what lengths were taken from"  # fact of a run: by the difference, the other number and the length


def subtracted(machine: Machine, whole: Value, length: Value, rest: Value) -> None:
    """Remember `share - len(mine)`: of a long computation the symbol itself keeps only the end."""
    if isinstance(length, Unknown) and isinstance(rest, Unknown) and length.symbol.key[0] == "len":
        machine.facts.setdefault(RESTS, {})[rest.symbol] = (whole, length.symbol)


def filled(machine: Machine, items: Value | None, added: Value) -> Unknown | None:
    """The list that was made longer, if as many were added as it lacked to a length that all ranks share."""
    times = added.facts.get(REPEATED) if isinstance(added, Object) else None
    if not isinstance(items, Unknown) or not isinstance(times, Unknown) or not lacks(machine, items, times):
        return None
    symbol = machine.symbols.of("filled", token(items), token(added))
    return Unknown(symbol, items.cause, containers.without_lengths(items.tags), items.like)


def lacks(machine: Machine, items: Unknown, times: Unknown) -> bool:
    """`share - len(items)`, where only the latter differs between the ranks."""
    share, length = machine.facts.get(RESTS, {}).get(times.symbol, (None, None))
    if not isinstance(length, Symbol) or share.cause is not None or items.symbol not in length.key[1:]:
        return False
    return not isinstance(share, Unknown) or items.symbol not in symbols_in(share.symbol)
