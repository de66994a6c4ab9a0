"""Whose items come in an order that this process shares with no other?

A set of texts is walked over in the order of their hashes, which each process seeds anew; `sorted(names, key=…)` by
numbers of this rank gives the order of this rank, and so do a shuffle that each rank draws for itself, and
`as_completed(jobs)`. An item of a walk in such an order is marked: all ranks come to it, but not in the same turn.
"""

from __future__ import annotations

from typing import Any

from dtlint.machine.contents import containers
from dtlint.machine.contents.opaque import deep_cause
from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.library.computing import provenance
from dtlint.machine.library.computing.provenance import inner_symbols
from dtlint.machine.library.feeding import sharding
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.values import ITEMS, Cause, Const, Object, Symbol, Tuple, Unknown, Value

RANKED = "ranked"  # tag of a list: in the order of this rank's numbers, since the place in the tag
UNSHARED = "order"  # tag of a list: in an order that ranks may not agree on, for the reason at the end of the tag
COMPLETED = "concurrent.futures.as_completed"  # this reason: what runs beside gets done when it does
NUMBERED = "numbered"  # among the reasons at the end: by this order something has got its number
WALKED = "walked in own order"  # tag of an item: of the loop in the tag, and who made the order
OWN = frozenset({"data", "rank", "local rank", "clock", "random", "memory", "state"})
DRAWN = frozenset({"rank", "local rank", "clock", "unseeded", "differs"})


def ranked(machine: Machine, call: Invocation, whole: Value) -> Unknown | None:
    """What `sorted(losses, key=losses.get)` and `names.sort(key=…)` leave in the list."""
    item = containers.element(machine, whole)
    if judged_by_own(machine, call, item) is None:
        return None
    symbol = machine.symbols.of(RANKED, token(whole), machine.symbols.fresh("order"))
    return Unknown(
        symbol,
        None,
        frozenset({sharding.remember(machine, RANKED)}),
        item if isinstance(item, Tuple | Object) else None,
    )


def judged_by_own(machine: Machine, call: Invocation, item: Value) -> Cause | None:
    """Why `key` says another thing of the same item on another rank."""
    from dtlint.machine.functions import calls

    by = next((value for name, value in call.keywords if name == "key"), None)
    if by is None or (deep_cause(machine, (item,)) is not None and not isinstance(item, Tuple)):
        return None
    cause = deep_cause(machine, (calls.call_value(machine, by, (item,), (), call.mask),))
    return cause if cause is not None and cause.kind in OWN else None


def of_texts(machine: Machine, value: Value) -> bool:
    """Is this a set of several texts?"""
    held = value.attributes.get("[]") if isinstance(value, Object) and value.kind == "set" else None
    if isinstance(held, Unknown):
        return made_of_text(machine, held.symbol)
    if not isinstance(held, Tuple) or len(held.items) < 2:
        return False
    return all(isinstance(item, Const) and isinstance(item.value, str) for item in held.items)


TEXT = frozenset(
    {
        "text",
        "csv.reader",
        "csv.DictReader",
        "io.TextIOWrapper.read",
        "io.TextIOWrapper.readlines",
        "pathlib.Path.read_text",
    }
)
CUTS = frozenset({"split", "rsplit", "partition", "rpartition", "removeprefix", "removesuffix"})
CUTS |= {"strip", "lstrip", "rstrip"}
BARE = frozenset({"split", "rsplit", "strip", "lstrip", "rstrip", "lower", "upper", "casefold"})  # with no argument
LISTINGS = frozenset({"os.listdir", "glob.glob", "glob.iglob"} | {f"pathlib.Path.{one}" for one in ("glob", "rglob")})
LISTINGS |= {"pathlib.Path.iterdir"}
NAMES = frozenset({"name", "stem", "parent", "suffix"})  # of a path
NAMED = frozenset({"named_parameters", "named_buffers", "named_modules", "named_children"})  # each with its name
BY_NAME = frozenset({"state_dict"})
ANSWER = "output"  # symbol: what a model says
HELD = frozenset({ITEMS, "list", "sorted", "set", "tuple", "builtins.tuple"})
JOINED = frozenset(f"op {one}" for one in "+-&|^")
PATHS = frozenset({"builtins.str", "os.path.basename", "os.path.dirname", "os.path.splitext", "os.path.join"})
CHANGES = frozenset({"replace", "strip", "lstrip", "rstrip", "lower", "upper", "keys"})


def made_of_text(machine: Machine, symbol: Symbol) -> bool:
    """A text, something cut out of one, or several of these; not what was looked up or counted by it."""
    todo, seen, written = [symbol], set[int](), set[str]()
    while todo and len(seen) < 200:
        one = todo.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        written.update(part for part in said_in(one.key) if type(part) is str)
        if len(written) > 1:
            return True
        if one.key[0] in TEXT or one.key[0] in LISTINGS or is_cut(one) or last_name(one) in BY_NAME or is_name(one):
            return True
        if is_field(one, machine.knowledge.texts):
            return True
        todo.extend(inner_symbols(text_like(one)))
    return False


def said_in(key: tuple[Any, ...]) -> tuple[Any, ...]:
    """What a list was given one after the other, and what may stand in a name."""
    return key[1:] if key[0] == ITEMS else key[2:] if key[0] == "phi" else ()


def is_text(machine: Machine, value: Value | None) -> bool:
    """A text that nobody knows, or one of several."""
    return isinstance(value, Unknown) and made_of_text(machine, value.symbol)


def text_like(symbol: Symbol) -> tuple[Any, ...]:
    """This is a text, or holds texts, if one of these does."""
    key = symbol.key
    if key[0] == "item":
        if len(key) > 2 and last_name(key[1]) in BY_NAME:
            return ()
        return written_part(*key[1:]) if len(key) == 3 and type(key[2]) is int else key[1:2]
    if key[0] == "comprehension":  # what it gives stands before what it walks over
        return key[2:] if type(key[1]) is int else key[1:2]
    if key[0] == "for each":
        return key[-1:]
    if key[0] == "phi":
        return key[2:]
    if key[0] == "keys":
        return key[3:] or written_keys(key[-1])
    if key[0] == "attr":
        return key[1:2] if key[-1] in NAMES else ()
    if key[0] == "call":
        return (receiver(symbol),) if last_name(symbol) in CHANGES else ()
    return key[1:] if key[0] in HELD or key[0] in PATHS or key[0] in JOINED else ()


def written_part(row: Any, number: int) -> tuple[Any, ...]:
    """`speaker` of `for speaker, _ in [(int(one), name) for one, name in lines]`: of what is written down as several
    things, this one says nothing of the others."""
    base = row
    while isinstance(base, Symbol) and base.key[0] in ("item", "comprehension") and type(base.key[-1]) is not int:
        base = base.key[2] if type(base.key[1]) is int else base.key[1]
    return base[number : number + 1] if isinstance(base, tuple) and number < len(base) else (row,)


def written_keys(held: Any) -> tuple[Any, ...]:
    """`name` of what `{name: value.item() for name, value in losses.items()}` has made"""
    made = held.key[-1] if isinstance(held, Symbol) and held.key[0] == "for each" else None
    pair = made.key[1] if isinstance(made, Symbol) and made.key[0] == "comprehension" else None
    return pair[:1] if isinstance(pair, tuple) and len(pair) == 2 else ()


def is_name(symbol: Symbol) -> bool:
    """The first of each pair of `model.named_parameters()`, `model.state_dict().items()` or `model(batch).items()`:
    what a model answers goes by names."""
    if symbol.key[0] != "item" or symbol.key[2:] != (0,):
        return False
    pairs = symbol.key[1]
    while isinstance(pairs, Symbol) and (pairs.key[0] in HELD or pairs.key[0] == "item"):
        pairs = pairs.key[1]
    if last_name(pairs) != "items":
        return last_name(pairs) in NAMED
    table = receiver(pairs)
    return last_name(table) in BY_NAME or (isinstance(table, Symbol) and table.key[0] == ANSWER)


def is_field(symbol: Symbol, texts: frozenset[str]) -> bool:
    """`row["speaker"]`, `record.name`, and each of `table["words"]`"""
    name = symbol.key[2] if symbol.key[0] in ("item", "attr") and len(symbol.key) == 3 else None
    return isinstance(name, str) and (name in texts or (name.endswith("s") and name[:-1] in texts))


def is_cut(symbol: Symbol) -> bool:
    """`name.split(".")`, `line.strip()`: what is cut at a text, or where there is nothing to see, is one."""
    if symbol.key[0] != "call" or not isinstance(method := symbol.key[1], Symbol) or method.key[0] != "attr":
        return False
    given = symbol.key[2:]
    return type(given[0]) is str and method.key[-1] in CUTS if given else method.key[-1] in BARE


def last_name(symbol: Any) -> str:
    """`state_dict` of `torch.nn.Module.state_dict(…)`, and of `model.state_dict()` where nobody knows the model."""
    if not isinstance(symbol, Symbol):
        return ""
    method = symbol.key[1] if symbol.key[0] == "call" else None
    if isinstance(method, Symbol):
        return str(method.key[-1]) if method.key[0] == "attr" else ""
    return str(symbol.key[0]).rpartition(".")[2]


def receiver(symbol: Symbol) -> Any:
    """`name` of `name.strip()`"""
    return symbol.key[1].key[1] if symbol.key[0] == "call" else None


def numbered(machine: Machine, whole: Value, number: Unknown) -> Unknown:
    """The number that `enumerate` gives to an item stands for another one wherever the order is another."""
    orders = provenance.marks(whole, UNSHARED, 1)
    if not orders and of_texts(machine, whole):
        orders = [(*sharding.remember(machine, UNSHARED), "set", NUMBERED, "process")]
    return provenance.marked(number, *orders) if orders else number


def told(machine: Machine, iterable: Value, item: Value, at: Any) -> Value:
    """The item of a walk, with what is known of its order."""
    made_by = provenance.marks(iterable, RANKED, 2)
    made_by += [mark for mark in provenance.marks(iterable, UNSHARED, 2) if mark[-1] == COMPLETED or mark[-1] in DRAWN]
    if not made_by and not of_texts(machine, iterable):
        return item
    mark = (*sharding.remember(machine, WALKED, (machine.frame.path, at, machine.frame.scope)), *made_by[:1])
    return marked(item, mark)


def marked(item: Value, mark: tuple[Any, ...]) -> Value:
    if isinstance(item, Tuple):
        return Tuple(tuple(marked(part, mark) for part in item.items))
    if isinstance(item, Unknown) and isinstance(item.like, Tuple):
        return marked(item.like, mark)
    return provenance.marked(item, mark) if isinstance(item, Unknown) else item
