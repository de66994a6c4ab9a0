"""Which value counts after a branch on one side of which the ranks have agreed?

`if options.many: names = broadcast(names)`: the other side is for a rank that is alone, and what it sees is all there
is to see. That holds where the question is settled once; what is asked anew in every turn (`if step % 100 == 0`) leaves
the ranks without agreement in between.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from dtlint.machine.values import Row, Symbol, Tuple, Unknown, Value

AGREED = "agreed"  # first word of the symbols of what a collective gave to all; what was given and who sent it follow
PUT_TOGETHER = "put together"  # tag: the ranks have this together, and it was made of that loader's batches
OWN_OF_GATHERED = "own of gathered"  # fact of the run: what a rank gave, by what it got from all
RECEIVED = "received"
SPLIT = "split"  # first word of the symbols of what differs because the ranks took different sides
TOLD = frozenset({AGREED, RECEIVED})  # what the ranks have told each other
TURNING = frozenset({"op %", "index", "batch", "turn", "number", "loop", "source", "drawn", "time", "agreed", "choice"})
NEAR = 40
FORMS = frozenset({"bool", "int", "float"})
TRUTHS = ("compare ", "bool", "not", "builtins.bool")  # first words of what is yes or no
YES = frozenset(
    {
        ("compare >", 0), ("compare >=", 1), ("compare ==", 1), ("compare !=", 0),
        ("compare >", ("float", "0.5")), ("compare >", ("float", "0.0")), ("compare ==", ("float", "1.0")),
    }
)  # fmt: skip


def the_agreed(left: Value, right: Value, decision: Symbol) -> Value | None:
    """The one of the two sides on which the ranks have agreed, where the other one is what each sees for itself."""
    for one, other in ((left, right), (right, left)):
        if differs(other) and comes_from_all(one) and settled(decision):
            return one
    return None


def as_heard(value: Value, decision: Symbol) -> Value:
    """`return batch if not failed.item() else None`, of a `batch` that is None where this rank has failed, and of a
    `failed` in which all have told whether they did: on either side everybody knows which of the two is meant."""
    if not isinstance(value, Unknown) or value.cause is None or value.symbol.key[0] != SPLIT:
        return value
    asked = value.symbol.key[1]
    told = any(one.key[0] == AGREED and asked in inside(one) for one in inside(decision))
    return Unknown(value.symbol, None, value.tags, value.like) if told else value


def heard(lanes: list[Value]) -> Value | None:
    """`if rank != 0: stop = box[0]`, of a box that rank 0 has filled and sent: it holds that itself already. So it does
    where `stop = bool(flag.item())` is what the others make of the tensor."""
    told = [lane for lane, held in enumerate(lanes) if isinstance(held, Unknown) and was_told(held.symbol)]
    if len(told) != len(lanes) - 1 or len(told) < 1:
        return None
    (root,), first = set(range(len(lanes))) - set(told), lanes[told[0]]
    held = lanes[root]
    if not isinstance(held, Unknown) or not isinstance(first, Unknown) or any(lanes[lane] != first for lane in told):
        return None
    own = plain(held.symbol)
    sent = sent_by(root, plain(asked_again(first.symbol) if str(own.key[0]).startswith(TRUTHS) else first.symbol))
    return first if sent is not None and plain(sent) is own else None


def was_told(symbol: Symbol) -> bool:
    return plain(asked_again(symbol)).key[0] == AGREED


def plain(symbol: Symbol) -> Symbol:
    """The thing itself, whatever form it was put into."""
    while len(symbol.key) == 2 and isinstance(symbol.key[1], Symbol) and is_form(symbol.key[0]):
        symbol = symbol.key[1]
    return symbol


def is_form(word: object) -> bool:
    return isinstance(word, str) and word.rpartition(".")[2] in FORMS


def asked_again(symbol: Symbol) -> Symbol:
    """`flag.item() > 0`, of a yes or no that was sent as a number."""
    compared = len(symbol.key) == 3 and (symbol.key[0], symbol.key[2]) in YES
    return symbol.key[1] if compared and isinstance(symbol.key[1], Symbol) else symbol


def sent_by(root: int, agreed: Symbol) -> Symbol | None:
    """What this rank has sent to all: an object, or a tensor that each rank made for itself before."""
    if len(agreed.key) < 3 or agreed.key[2] != root:
        return None
    given = agreed.key[1]
    if isinstance(given, tuple):
        given = given[root] if root < len(given) else None
    return given if isinstance(given, Symbol) else None


def handed_as(agreed: Symbol) -> str:
    """The parameter of the collective that took it."""
    return str(agreed.key[4]) if len(agreed.key) > 4 else ""


def as_all_have(own: dict[Symbol, Any], items: Iterable[Value]) -> Any:
    """`all(count == len(mine) for count in counts)`, of counts to which each rank gave its `len(mine)`: whether all
    have what I have is answered alike on all of them. What is compared with all, or None."""
    compared = set()
    for item in items:
        key = item.symbol.key if isinstance(item, Unknown) else ()
        if len(key) != 3 or key[0] != "compare ==":
            return None
        compared.add(next((mine for one, mine in ((key[1], key[2]), (key[2], key[1])) if own.get(one) == mine), None))
    return compared.pop() if len(compared) == 1 else None


def comes_from_all(value: Value) -> bool:
    if not isinstance(value, Unknown) or value.cause is not None:
        return False
    return any(symbol.key[0] == AGREED for symbol in inside(value.symbol))


def differs(value: Value) -> bool:
    """By its content, or by the order it has from the file system."""
    if isinstance(value, Tuple):
        return any(differs(item) for item in value.items)
    return isinstance(value, Row | Unknown) and (value.cause is not None or bool(value.tags))


def settled(decision: Symbol) -> bool:
    return not any(symbol.key[0] in TURNING or symbol.key[-1] == "fresh" for symbol in inside(decision))


def inside(symbol: Symbol) -> Iterator[Symbol]:
    """The symbol and those it was computed from, as far as that is near."""
    todo, seen = [symbol], {id(symbol)}
    while todo and len(seen) < NEAR:
        one = todo.pop()
        yield one
        for part in one.key:
            if isinstance(part, Symbol) and id(part) not in seen:
                seen.add(id(part))
                todo.append(part)
