"""Did the program make the parts of all ranks equally long?

`mine + [mine[-1]] * (share - len(mine))` holds as many as `share` says, on every rank.
"""

from __future__ import annotations

from dtlint.ir import nodes as ir
from dtlint.machine.contents import containers
from dtlint.machine.contents.as_long import FILLED, is_worked_out
from dtlint.machine.core import Machine
from dtlint.machine.joining import was_told
from dtlint.machine.lanes import token
from dtlint.machine.library.computing.provenance import symbols_in
from dtlint.machine.library.feeding import totals
from dtlint.machine.names import assignment
from dtlint.machine.values import Object, Symbol, Unknown, Value

RESTS = "what lengths were taken from"  # fact of a run: by the difference, the other number and the length


def subtracted(machine: Machine, whole: Value, length: Value, rest: Value) -> None:
    """Remember `share - len(mine)`: of a long computation the symbol itself keeps only the end."""
    if isinstance(length, Unknown) and isinstance(rest, Unknown) and length.symbol.key[0] == "len":
        machine.facts.setdefault(RESTS, {})[rest.symbol] = (whole, length.symbol)


def filled(machine: Machine, items: Value | None, added: Value) -> Unknown | None:
    """The list that was made longer, if as many were added as it lacked to a length that all ranks share."""
    uneven = isinstance(items, Unknown) and containers.UNEVEN in items.tags
    times = how_many(added, uneven)
    share = lacks(machine, items, times) if isinstance(items, Unknown) and times is not None else None
    if share is None or not isinstance(items, Unknown):
        return None
    if not uneven and totals.fills_up(machine, added):
        return totals.filled_up(machine, items, added)  # filled up for all ranks, before it is divided
    return longer(machine, items, share)


def longer(machine: Machine, items: Unknown, share: Value) -> Unknown:
    symbol = machine.symbols.of(FILLED, items.symbol, token(share))
    return Unknown(symbol, items.cause, containers.without_lengths(items.tags), items.like)


def filled_in_turns(machine: Machine, test: ir.Expr, mask: int) -> None:
    """`while len(mine) < largest: mine.append(mine[0])`: the list is as long as that when the loop is over."""
    if not isinstance(test, ir.Compare) or len(test.pairs) != 1:
        return
    ((op, right),) = test.pairs
    length, share = {"<": (test.left, right), ">": (right, test.left)}.get(op, (None, None))
    if not isinstance(length, ir.Call) or len(length.args) != 1 or share is None:
        return
    named, bound = length.args[0], machine.evaluate(share, mask)
    counted = machine.evaluate(named, mask)
    held = counted.attributes.get("[]") if isinstance(counted, Object) else counted
    if not isinstance(held, Unknown) or not is_worked_out(token(bound)) or not is_shared(bound, held):
        return
    if isinstance(counted, Object):
        machine.set(counted, "[]", longer(machine, held, bound), mask)
    elif isinstance(named, ir.Name | ir.Attr):
        assignment.assign_target(machine, named, longer(machine, held, bound), mask)


def how_many(added: Value, uneven: bool) -> Symbol | None:
    """Of `[filler] * missing`, and of the first so many of another list, `others[:missing]`, which is mostly asked for
    before the list is divided."""
    times = added.facts.get(containers.REPEATED) if isinstance(added, Object) else None
    if times is None and uneven:
        held = added.attributes.get("[]") if isinstance(added, Object) else added
        word, *parts = held.symbol.key if isinstance(held, Unknown) else ("",)
        return parts[2] if word == "slice" and parts[1] is None and isinstance(parts[2], Symbol) else None
    return times.symbol if isinstance(times, Unknown) else None


def lacks(machine: Machine, items: Unknown, times: Symbol) -> Value | None:
    """The share in `share - len(items)`, where only the latter differs between the ranks."""
    share, length = machine.facts.get(RESTS, {}).get(times, (None, None))
    if not isinstance(length, Symbol) or items.symbol not in length.key[1:]:
        return None
    return share if is_shared(share, items) else None


def is_shared(share: Value, items: Unknown) -> bool:
    """Is it a number that all ranks have, and none that each has of its own items?"""
    if share.cause is not None:
        return False
    return not isinstance(share, Unknown) or was_told(share.symbol) or items.symbol not in symbols_in(share.symbol)
