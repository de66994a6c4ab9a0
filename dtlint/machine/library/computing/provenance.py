"""Where does a value come from? Marks that flow with it, and the computations its symbol remembers.

Marks are tags `(kind, …)` on unknown values. `order` is an order that may differ between ranks, `shard` a part chosen
by rank, `worker` what only a loader worker knows, `loader` a batch of that loader.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from dtlint.machine.core import Machine
from dtlint.machine.values import BY_PROCESS, Bound, Cause, Object, Row, SliceValue, Symbol, Tuple, Unknown, Value

DEPTH = 4
WORKER = ("worker", "info")
MADE_OF = "made of "  # attributes of a distribution: what it was made of


def parts(
    value: Value, depth: int = DEPTH, seen: set[int] | None = None, closed: frozenset[str] = frozenset()
) -> Iterator[Value]:
    """The value and what it holds, a few levels deep; things of a `closed` kind are not looked into."""
    yield value
    if depth <= 0 or (closed and isinstance(value, Object) and value.kind in closed):
        return
    seen = seen if seen is not None else set()
    inner: tuple[Value, ...] = ()
    if isinstance(value, Row):
        inner = value.lanes
    elif isinstance(value, Tuple):
        inner = value.items[:16]
    elif isinstance(value, SliceValue):
        inner = (value.lower, value.upper, value.step)
    elif isinstance(value, Bound):
        inner = tuple(held for held in (value.receiver, *value.extra) if held is not None)
    elif isinstance(value, Object):
        if value.number in seen:
            return
        seen.add(value.number)
        held_inside = value.facts.get("inner", ())
        inner = (*value.attributes.values(), *(one for one in held_inside if isinstance(one, Value)))
    elif isinstance(value, Unknown) and value.like is not None:
        inner = (value.like,)
    for held in inner:
        yield from parts(held, depth - 1, seen, closed)


def marks(value: Value, kind: str, depth: int = DEPTH, closed: frozenset[str] = frozenset()) -> list[tuple[Any, ...]]:
    """The marks of one kind on a value or on what it holds, in a stable order."""
    found: dict[tuple[Any, ...], None] = {}
    for part in parts(value, depth, closed=closed):
        for tag in part.tags:
            if isinstance(tag, tuple) and tag[0] == kind:
                found.setdefault(tag)
    return sorted(found, key=repr)


def has_mark(value: Value, kind: str, depth: int = DEPTH) -> bool:
    return any(isinstance(tag, tuple) and tag[0] == kind for part in parts(value, depth) for tag in part.tags)


def marked(value: Unknown, *tags: tuple[Any, ...]) -> Unknown:
    return Unknown(value.symbol, value.cause, value.tags | frozenset(tags), value.like)


def without(value: Value, kind: str) -> Value:
    if isinstance(value, Unknown):
        kept = frozenset(tag for tag in value.tags if not (isinstance(tag, tuple) and tag[0] == kind))
        return Unknown(value.symbol, value.cause, kept, value.like) if kept != value.tags else value
    return value


def cause_of(value: Value, kinds: frozenset[str], depth: int = DEPTH) -> Cause | None:
    """Why the value, or something it holds, differs for one of these reasons."""
    for part in parts(value, depth):
        if part.cause is not None and part.cause.kind in kinds:
            return part.cause
    return None


def symbols_in(symbol: Symbol) -> Iterator[Symbol]:
    """The symbol and those it was computed from."""
    todo, seen = [symbol], set[int]()
    while todo and len(seen) < 400:
        one = todo.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        todo.extend(inner_symbols(one.key))


def inner_symbols(key: tuple[Any, ...]) -> Iterator[Symbol]:
    for part in key:
        if isinstance(part, Symbol):
            yield part
        elif isinstance(part, tuple):
            yield from inner_symbols(part)


def number_in(part: Any) -> int | None:
    """The integer a part of a symbol's key stands for."""
    if type(part) is int:
        return part
    if isinstance(part, tuple) and part[:1] == ("int",):
        return int(part[1])
    return None


def mentions(value: Value, test: Callable[[Symbol], bool], depth: int = 2) -> bool:
    """Was the value computed from a symbol that passes the test?"""
    for part in parts(value, depth):
        if isinstance(part, Unknown) and any(test(symbol) for symbol in symbols_in(part.symbol)):
            return True
    return False


def own_data(machine: Machine, read: Value) -> Value:
    """What stands in a file of this rank is its own data, and no longer a question of who it is. In one whose name is
    made of the time stands what this run has written there, the same on all ranks for all that its name says."""
    if not isinstance(read, Unknown) or read.cause is None:
        return read
    if read.cause.kind == "clock":
        return Unknown(read.symbol, None, read.tags, read.like)
    if read.cause.kind not in BY_PROCESS:
        return read
    cause = Cause("data", read.cause.trail).then(machine.step("what this rank's own file holds"))
    machine.facts.setdefault(OWN_FILES, set()).add(read.symbol)
    return Unknown(read.symbol, cause, read.tags, read.like)


OWN_FILES = "own files"  # fact of the run: what ranks have read from files of their own, by symbol
OWN_TABLES = "own tables"  # fact of the run: what was made of such a file that was opened, `yaml.safe_load(file)`


def without_own_data(value: Value) -> Value:
    """What is known of it to all, where it was read from a file of this rank's own."""
    if isinstance(value, Unknown) and value.cause is not None and value.cause.kind == "data":
        return Unknown(value.symbol, None, value.tags, value.like)
    return value


TAKEN_UP = "taken up"  # fact of the run: own files that are checkpoints, by their symbols


def take_up(machine: Machine, given: Value) -> None:
    """`model.load_state_dict(kept["model"])`: what was read is a checkpoint, and all ranks have written theirs at one
    moment. What it says by name beside the weights, such as the step, was the same for all of them."""
    symbol = given.symbol if isinstance(given, Unknown) else None
    while symbol is not None and symbol.key[0] == "item" and isinstance(symbol.key[1], Symbol):
        symbol = symbol.key[1]
    if symbol in machine.facts.get(OWN_FILES, ()):
        machine.facts.setdefault(TAKEN_UP, set()).add(symbol)


def is_taken_up(machine: Machine, value: Value) -> bool:
    return isinstance(value, Unknown) and value.symbol in machine.facts.get(TAKEN_UP, ())


STATE = frozenset(f"torch.nn.Module.{name}" for name in ("parameters", "named_parameters", "buffers", "state_dict"))


def modules_of(symbol: Symbol) -> set[int]:
    """The modules, by number, whose parameters or state something is made of."""
    owners = (one.key[1] for one in symbols_in(symbol) if one.key[0] in STATE and len(one.key) > 1)
    return {owner[1] for owner in owners if isinstance(owner, tuple) and owner[0] == "object"}
