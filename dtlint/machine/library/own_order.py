"""Whose items come in an order that this process shares with no other?

A set of texts is walked over in the order of their hashes, which each process seeds anew; `sorted(names, key=…)` by
numbers of this rank gives the order of this rank, and so do a shuffle that each rank draws for itself, and
`as_completed(jobs)`. An item of a walk in such an order is marked: all ranks come to it, but not in the same turn.
"""

from __future__ import annotations

from typing import Any

from dtlint.machine import containers
from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.library import provenance, sharding
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.provenance import inner_symbols
from dtlint.machine.opaque import deep_cause
from dtlint.machine.values import Const, Object, Symbol, Tuple, Unknown, Value

RANKED = "ranked"  # tag of a list: in the order of this rank's numbers, since the place in the tag
UNSHARED = "order"  # tag of a list: in an order that ranks may not agree on, for the reason at the end of the tag
COMPLETED = "concurrent.futures.as_completed"  # this reason: what runs beside gets done when it does
WALKED = "walked in own order"  # tag of an item: of the loop in the tag, and who made the order
OWN = frozenset({"data", "rank", "local rank", "clock", "random", "memory", "state"})
DRAWN = frozenset({"rank", "local rank", "clock", "unseeded", "differs"})


def ranked(machine: Machine, call: Invocation, whole: Value) -> Unknown | None:
    """What `sorted(losses, key=losses.get)` and `names.sort(key=…)` leave in the list."""
    from dtlint.machine import calls

    by = next((value for name, value in call.keywords if name == "key"), None)
    item = containers.element(machine, whole)
    if by is None or (deep_cause(machine, (item,)) is not None and not isinstance(item, Tuple)):
        return None
    cause = deep_cause(machine, (calls.call_value(machine, by, (item,), (), call.mask),))
    if cause is None or cause.kind not in OWN:
        return None
    symbol = machine.symbols.of(RANKED, token(whole), machine.symbols.fresh("order"))
    return Unknown(
        symbol,
        None,
        frozenset({sharding.remember(machine, RANKED)}),
        item if isinstance(item, Tuple | Object) else None,
    )


def of_texts(value: Value) -> bool:
    """Is this a set of several texts?"""
    held = value.attributes.get("[]") if isinstance(value, Object) and value.kind == "set" else None
    if isinstance(held, Unknown):
        return made_of_text(held.symbol)
    if not isinstance(held, Tuple) or len(held.items) < 2:
        return False
    return all(isinstance(item, Const) and isinstance(item.value, str) for item in held.items)


NUMBERS = frozenset({"len", "length"} | {f"builtins.{name}" for name in ("int", "float", "bool", "len", "ord", "hash")})
TEXT = frozenset({"text", "io.TextIOWrapper.read", "io.TextIOWrapper.readlines", "pathlib.Path.read_text"})
CUTS = frozenset({"split", "rsplit", "partition", "rpartition", "removeprefix", "removesuffix"})
CUTS |= {"strip", "lstrip", "rstrip"}
BARE = frozenset({"split", "rsplit", "strip", "lstrip", "rstrip", "lower", "upper", "casefold"})  # with no argument


LISTINGS = frozenset({"os.listdir", "glob.glob", "glob.iglob"} | {f"pathlib.Path.{one}" for one in ("glob", "rglob")})
LISTINGS |= {"pathlib.Path.iterdir"}
NAMES = frozenset({"name", "stem", "parent", "suffix"})  # of a path
HELD = frozenset({"comprehension", "for each", "keys", "item", "list", "sorted", "set", "tuple"})
PATHS = frozenset({"builtins.str", "os.path.basename", "os.path.dirname", "os.path.splitext", "os.path.join"})


def of_paths(symbol: Symbol) -> bool:
    """The names of files that were found in a folder, or parts of these: texts, too, like the paths themselves."""
    todo, seen = [symbol], set[int]()
    while todo and len(seen) < 200:
        one = todo.pop()
        if one.key[0] in LISTINGS:
            return True
        passed = one.key[0] in HELD or one.key[0] in PATHS or (one.key[0] == "attr" and one.key[-1] in NAMES)
        if id(one) not in seen and passed:
            todo.extend(inner_symbols(one.key))
        seen.add(id(one))
    return False


def made_of_text(symbol: Symbol) -> bool:
    """A text or something out of one, that was not made a number."""
    if of_paths(symbol):
        return True
    todo, seen = [symbol], set[int]()
    while todo and len(seen) < 200:
        one = todo.pop()
        if one.key[0] in TEXT or is_cut(one):
            return True
        if id(one) not in seen and one.key[0] not in NUMBERS and not reads(one):
            # a method of a text may give one; that of something else, which is given a text, anything
            todo.extend(inner_symbols(one.key[:2] if one.key[0] == "call" else one.key))
        seen.add(id(one))
    return False


def reads(symbol: Symbol) -> bool:
    """`json.loads(line)`: what a library makes of a text may be anything."""
    maker = symbol.key[0]
    return isinstance(maker, str) and "." in maker and maker not in PATHS


def is_cut(symbol: Symbol) -> bool:
    """`name.split(".")`, `line.strip()`: what is cut at a text, or where there is nothing to see, is one."""
    if symbol.key[0] != "call" or not isinstance(method := symbol.key[1], Symbol) or method.key[0] != "attr":
        return False
    given = symbol.key[2:]
    return type(given[0]) is str and method.key[-1] in CUTS if given else method.key[-1] in BARE


def told(machine: Machine, iterable: Value, item: Value, at: Any) -> Value:
    """The item of a walk, with what is known of its order."""
    made_by = provenance.marks(iterable, RANKED, 2)
    made_by += [mark for mark in provenance.marks(iterable, UNSHARED, 2) if mark[-1] == COMPLETED or mark[-1] in DRAWN]
    if not made_by and not of_texts(iterable):
        return item
    mark = (*sharding.remember(machine, WALKED, (machine.frame.path, at, machine.frame.scope)), *made_by[:1])
    return marked(item, mark)


def marked(item: Value, mark: tuple[Any, ...]) -> Value:
    if isinstance(item, Tuple):
        return Tuple(tuple(marked(part, mark) for part in item.items))
    if isinstance(item, Unknown) and isinstance(item.like, Tuple):
        return marked(item.like, mark)
    return provenance.marked(item, mark) if isinstance(item, Unknown) else item
