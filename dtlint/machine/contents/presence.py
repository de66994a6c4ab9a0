"""May a value be None, and if so, on all ranks alike?

That two ranks hold different numbers does not mean that one of them holds none: what a computation makes is always
there, and what only one side of a common decision makes is there on all ranks or on none.
"""

from __future__ import annotations

from typing import Any

from dtlint.knowledge.known import Knowledge
from dtlint.machine.core import Machine
from dtlint.machine.values import THERE, Const, Object, Row, Symbol, Tuple, Unknown, Value

ALWAYS = "always"  # never None
ALIKE = "alike"  # None on all ranks or on none

MADE = ("op ", "compare ", "unary ")  # beginnings of what expressions are called
COMPARED = ("compare ", "unary ")  # numbers, whose methods give numbers
COMPUTED = ("call", "output")
PARTS = ("item", "batch", "deep")
CALLED = (*PARTS, "output", "phi", "split")
CLASSES = ("builtins.type", "deep")  # what is called and is no method of a batch is the class of one
OF_BATCHES = ("loader", "wrapped")  # tags of batches, and of what a wrapped model makes of whatever it gets
ARRAYS = frozenset({"torch", "jax.numpy", "numpy"})  # packages whose functions compute with arrays
HANDED = ("array", "asarray", "load")
MADE_WHOLE = frozenset({"source", "text", "tensor", "slice", "tuple", "comprehension", "path"})


def presence(knowledge: Knowledge, value: Unknown) -> str:
    known = of_symbol(knowledge, value.symbol)
    return known or (ALIKE if value.cause is None or from_loader(knowledge, value) else "")


def own_gradient(value: Value) -> bool:
    """The gradient of a parameter that is this rank's share: it is asked for the sake of those that nobody trains,
    and whether one of them is among the shares of some rank only, nobody knows."""
    lanes = value.lanes if isinstance(value, Row) else (value,)
    return value.cause is not None and all(
        isinstance(lane, Unknown) and lane.symbol.key[0] == "attr" and lane.symbol.key[-1] == "grad" for lane in lanes
    )


def from_loader(knowledge: Knowledge, value: Unknown) -> bool:
    """Batches of one program have the same parts on every rank, and so has what a model makes of them, or of the shares
    that the ranks have of one."""
    if not any(type(tag) is tuple and tag[0] in OF_BATCHES for tag in value.tags):
        return False
    symbol = begun_as(value.symbol)
    made = symbol.key[1] if symbol.key[0] == "attr" else None
    if isinstance(made, Symbol) and symbol.key[-1] != "grad":
        return made.key[0] in COMPUTED or is_part(knowledge, made)
    return is_part(knowledge, symbol)


def looked_for(knowledge: Knowledge, value: Unknown) -> bool:
    """`batch.get("lengths")`: a tensor is neither true nor false, so who asks whether it is asks if the batch has such
    a part. With a default of its own it may be a word or a number, which another rank's batch has otherwise."""
    symbol = begun_as(value.symbol)
    while symbol.key[0] == "phi":  # `if part is None: part = usual`
        question = symbol.key[1]
        asked = question.key[1] if isinstance(question, Symbol) and question.key[0] == "is none" else None
        others = [side for side in symbol.key[2:4] if side is not asked]
        if not isinstance(asked, Symbol) or len(others) != 1 or is_part(knowledge, others[0]):
            return False
        symbol = begun_as(asked)
    method = symbol.key[1] if symbol.key[0] == "call" else None
    if not isinstance(method, Symbol) or (method.key[0], method.key[-1]) != ("attr", "get"):
        return False
    unsaid = all(default is None for default in symbol.key[3:])
    return (
        unsaid and is_part(knowledge, symbol) and any(tag[0] in OF_BATCHES for tag in value.tags if type(tag) is tuple)
    )


def is_part(knowledge: Knowledge, symbol: Any) -> bool:
    """A part of a batch, or of the one or the other batch as all ranks decide."""
    if not isinstance(symbol, Symbol):
        return False
    begun = part_of(symbol)
    what = begun.key[0]
    if begun is not begun_as(symbol) and isinstance(what, str):  # a method was called, and None has none
        return what in CALLED or "." in what or is_made(knowledge, begun)
    if what == "phi":
        return all(side is None or is_part(knowledge, side) or is_made(knowledge, side) for side in begun.key[2:4])
    return what in PARTS


def is_made(knowledge: Knowledge, side: Any) -> bool:
    what = side.key[0] if isinstance(side, Symbol) else None
    if what == "call":  # `type(batch)(move(part) for part in batch)`
        return isinstance(side.key[1], Symbol) and side.key[1].key[0] in CLASSES
    return isinstance(what, str) and (what.startswith(MADE) or knowledge.always_gives(what))


def part_of(symbol: Symbol) -> Symbol:
    """What a chain of methods began with: `batch["x"].float().div_(255)`."""
    symbol = begun_as(symbol)
    while symbol.key[0] == "call" and isinstance(method := symbol.key[1], Symbol) and method.key[0] == "attr":
        symbol = begun_as(method.key[1])
    return symbol


def begun_as(symbol: Symbol) -> Symbol:
    """What a name that a loop gives anew in each turn holds in the first: the later ones come by the same way."""
    while symbol.key[0] == "loop" and len(symbol.key) > 3 and isinstance(symbol.key[3], Symbol):
        symbol = symbol.key[3]
    return symbol


def asks_presence(asked: Symbol) -> bool:
    """`x is None`, `x is not None`"""
    while asked.key[0] == "not" and isinstance(asked.key[1], Symbol):
        asked = asked.key[1]
    return asked.key[0] == "is none"


def decided_by(asked: Symbol) -> Symbol | None:
    """`x if chance < 0.5 else None`: who asks whether this is None asks for that decision."""
    while asked.key[0] in ("not", "is none") and isinstance(asked.key[1], Symbol):
        asked = begun_as(asked.key[1])
    decision = asked.key[1] if asked.key[0] in ("phi", "split") and None in asked.key[2:4] else None
    return decision if isinstance(decision, Symbol) else None


def made_on_one_side(machine: Machine, symbol: Symbol) -> Symbol | None:
    """`torch.profiler.profile() if options.profile else None`: the question that decides whether there is anything."""
    key = begun_as(symbol).key
    if key[0] != "phi" or len(key) != 4 or not isinstance(key[1], Symbol) or None not in key[2:]:
        return None
    made = key[3] if key[2] is None else key[2]
    if not isinstance(made, Symbol) or of_symbol(machine.knowledge, made) != ALWAYS:
        return None
    return key[1] if key[2] is made else machine.symbols.of("not", key[1])


def of_symbol(knowledge: Knowledge, symbol: Symbol) -> str:
    key = begun_as(symbol).key
    what = key[0]
    if not isinstance(what, str):
        return ""
    if what in ("phi", "split"):
        sides = {of_token(knowledge, side) for side in key[2:4] if not asked_before(key, side)}
        if sides == {ALWAYS}:
            return ALWAYS
        # `None if failed else batch`, decided by all alike: who asks for None asks for that decision
        common = None in key[2:4] and not any(lacking(side) for side in key[2:4])
        return ALIKE if what == "phi" and (common or "" not in sides) else ""
    if what == "source" and may_give_none(knowledge, key[1]):
        return ""
    if what in MADE_WHOLE or what.startswith(MADE):
        return ALWAYS
    if what == "item" and of_an_array(knowledge, key[1]):
        return ALWAYS
    made = part_of(symbol).key[0]  # `torch.frombuffer(data).clone().to(device)`, `(scores > 0).float()`
    if isinstance(made, str) and what == "call" and made.startswith(COMPARED):
        return ALWAYS
    if isinstance(made, str) and made.startswith("torch.") and knowledge.always_gives(made):
        return ALWAYS
    method = key[1] if what == "agreed" else key[1].key[-1] if what == "call" and isinstance(key[1], Symbol) else None
    if isinstance(method, str) and method in knowledge.giving_methods:
        return ALWAYS
    return ALWAYS if knowledge.always_gives(method_of_source(symbol) or what) else ""


def may_give_none(knowledge: Knowledge, source: Any) -> bool:
    """`latest_checkpoint(folder)`, where there may be none yet."""
    api = knowledge.api(source) if isinstance(source, str) else None
    return api is not None and bool(api.extra.get("or_none"))


def of_an_array(knowledge: Knowledge, whole: Any) -> bool:
    """What a library for arrays has put together or computed holds a number at each place; what it was only handed may
    be a list with nothing at some of them."""
    while isinstance(whole, Symbol) and whole.key[0] in ("item", "slice"):
        whole = whole.key[1]
    made = part_of(whole).key[0] if isinstance(whole, Symbol) else None
    package, _, name = made.rpartition(".") if isinstance(made, str) else ("", "", "")
    return package in ARRAYS and name not in HANDED and knowledge.always_gives(f"{package}.{name}")


def asked_before(key: tuple[Any, ...], side: Any) -> bool:
    """`made() if folder is None else folder`: who is held on this side was asked whether it is there."""
    asked, then, other = key[1], *key[2:4]
    while isinstance(asked, Symbol) and asked.key[0] == "not":
        asked, then, other = asked.key[1], other, then
    question = asked.key if isinstance(asked, Symbol) else ("",)
    return question[0] == "is none" and side is other and isinstance(other, Symbol) and question[1] == other


def lacking(token: Any) -> bool:
    """Is it known that some ranks may hold None here, and others something?"""
    if not isinstance(token, Symbol):
        return False
    key = begun_as(token).key
    sides = key[2:4] if key[0] in ("phi", "split") else ()
    return (key[0] == "split" and None in sides) or any(lacking(side) for side in sides)


def method_of_source(symbol: Symbol) -> str:
    """`datetime.now().strftime(…)`: the method's full name, where what it is called on says what it is."""
    called = symbol.key[1] if symbol.key[0] == "call" and len(symbol.key) > 1 else None
    if not isinstance(called, Symbol) or called.key[0] != "attr" or not isinstance(called.key[1], Symbol):
        return ""
    receiver = called.key[1]
    return f"{receiver.key[1]}.{called.key[2]}" if receiver.key[0] == "source" else ""


def of_token(knowledge: Knowledge, token: Any) -> str:
    """The same of what stands for a value in a symbol's key."""
    if token is None:
        return ALIKE
    return of_symbol(knowledge, token) if isinstance(token, Symbol) else ALWAYS


def there_alike(machine: Machine, value: Value) -> bool:
    """Have all ranks something, or none of them?"""
    if isinstance(value, Row):
        return all(
            isinstance(lane, Object) or (isinstance(lane, Const) and lane.value is not None) for lane in value.lanes
        )
    return isinstance(value, Unknown) and (THERE in value.tags or bool(presence(machine.knowledge, value)))


def either_is_there(machine: Machine, joined: Value, left: Value, right: Value) -> Value:
    """`elif score > self.best: self.best = score`, where `self.best is None` was asked before: some ranks hold the one,
    the others the other, and none of them None."""
    if type(joined) is Unknown and is_there(machine, left) and is_there(machine, right):
        return Unknown(joined.symbol, joined.cause, joined.tags | {THERE}, joined.like)
    return joined


def is_there(machine: Machine, value: Value) -> bool:
    """Is it known, on this side of the branches that lead here, that this is not None?"""
    if isinstance(value, Const):
        return value.value is not None
    if type(value) is not Unknown:
        return isinstance(value, Object | Tuple)
    known = presence(machine.knowledge, value) == ALWAYS
    return known or machine.assumes(machine.symbols.of("is none", value.symbol), False)


def perhaps_not_made(machine: Machine, thing: Value) -> Symbol | None:
    """`scaler = GradScaler() if options.amp else None`: who asks whether there is one asks for the option."""
    if not isinstance(thing, Object) or thing.made_if is None:
        return None
    question, answer = thing.made_if
    machine.oldest_write = 0  # what holds here need not hold wherever this is called
    if machine.assumes(question, answer):
        return None
    return question if answer else machine.symbols.of("not", question)
