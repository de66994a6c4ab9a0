"""Of what type are the elements of a tensor, and how many are there, where the program says so?

Two ranks that meet in a collective have to bring the same number of bytes. What a call makes is known where its
arguments are literals or types; everything else is unknown and agrees with everything.
"""

from __future__ import annotations

from math import prod
from typing import Any

from dtlint.machine.contents import containers
from dtlint.machine.contents.number_types import CONVERTS, COUNTED, SPELLED_TYPES, numbers_in, type_called
from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.values import NONE, Const, External, Object, Row, Symbol, Unknown, Value

TYPE, COUNT = "element type", "element count"
OWN_TYPE = "dtype"  # fact: why the type differs by rank
OWN_CHOICE = "numbers are of the type the program has chosen"  # fact of a run
MADE_AS = {
    "torch.FloatTensor": "float32",
    "torch.Tensor": "float32",
    "torch.LongTensor": "int64",
    "torch.IntTensor": "int32",
    "torch.BoolTensor": "bool",
}
FLOATS = frozenset({"torch.zeros", "torch.ones", "torch.empty", "torch.rand", "torch.randn"})
LIKE = frozenset({"torch.zeros_like", "torch.ones_like", "torch.empty_like"})
WHOLE = ("op +", "op -", "op *", "op //", "op %")  # what makes whole numbers of whole numbers


def describe(machine: Machine, made: Object, call: Invocation) -> None:
    """Note what is known of a tensor that was just made."""
    kind, count = type_made(machine, call), count_made(machine, call)
    if kind is not None and (OWN_CHOICE not in machine.facts or call.get("dtype") is not None):
        made.facts[TYPE] = kind
    if count is not None:
        made.facts[COUNT] = count
    given = call.get("dtype")
    if given is not None and given.cause is not None:
        made.facts[OWN_TYPE] = given.cause
    elif given is None and call.name in LIKE and call.arguments:
        of_same_type(made, call.arguments[0])


def of_same_type(made: Object, source: Value) -> None:
    """`torch.zeros_like(x)`, `x.new_zeros(4)`, `x.clone()`"""
    if isinstance(source, Object):
        made.facts.update((fact, source.facts[fact]) for fact in (TYPE, OWN_TYPE) if fact in source.facts)


def type_made(machine: Machine, call: Invocation) -> str | None:
    given = call.get("dtype")
    if given is not None:
        return type_named(given)
    if call.name in LIKE:
        found: str | None = known(call.arguments[0] if call.arguments else None, TYPE)
        return found
    if call.name in FLOATS:
        return "float32"
    if call.name in ("torch.tensor", "torch.as_tensor") and call.arguments:
        return type_held(machine, call.arguments[0])
    if call.name == "torch.full" and len(call.arguments) > 1:
        return type_held(machine, call.arguments[1])
    return MADE_AS.get(call.name)


def type_named(value: Value) -> str | None:
    """`torch.float64`, `torch.double`, `float`"""
    return type_called(value.name) if isinstance(value, External) else None


def type_held(machine: Machine, value: Value) -> str | None:
    """What `torch.tensor(value)` makes of it."""
    if isinstance(value, Const):
        kinds: dict[type, str] = {bool: "bool", int: "int64", float: "float32"}
        return kinds.get(type(value.value))
    if isinstance(value, Unknown):
        if is_mean(value.symbol):
            return "float32"
        return "int64" if is_whole(value.symbol) else numbers_in(value.symbol)
    items = containers.items_of(machine, value)
    found = {type_held(machine, item) for item in items} if items else {None}
    for widest in ("float64", "float32"):
        if widest in found and None not in found:
            return widest
    return found.pop() if len(found) == 1 else None


def count_made(machine: Machine, call: Invocation) -> int | None:
    if call.name in LIKE:
        found: int | None = known(call.arguments[0] if call.arguments else None, COUNT)
        return found
    if call.name in FLOATS or call.name == "torch.full":
        shape = call.get("size") or (call.arguments[0] if call.arguments else None)
        items = containers.items_of(machine, shape) if shape is not None else None
        if items is None and call.name != "torch.full":
            items = call.arguments
        sizes = [size_of(one) for one in items or ()]
        return prod(size for size in sizes if size is not None) if items is not None and None not in sizes else None
    if call.name in ("torch.tensor", "torch.as_tensor", "torch.FloatTensor", "torch.LongTensor") and call.arguments:
        return count_held(machine, call.arguments[0])
    return None


def is_mean(symbol: Symbol) -> bool:
    """`sum(losses) / len(losses)`: a number of Python, and no whole one."""
    if symbol.key[0] != "op /" or not all(isinstance(part, Symbol) for part in symbol.key[1:]):
        return False
    return symbol.key[1].key[0] in ("sum", "builtins.sum") and is_whole(symbol.key[2])


def is_whole(part: object) -> bool:
    if not isinstance(part, Symbol):
        return type(part) is int
    return part.key[0] in COUNTED or is_extent(part) or (part.key[0] in WHOLE and all(map(is_whole, part.key[1:])))


def is_extent(symbol: Symbol) -> bool:
    """`x.shape[0]`, `x.size(0)`, `x.numel()`: of a tensor nobody knows."""
    if symbol.key[0] == "item" and isinstance(symbol.key[1], Symbol) and len(symbol.key) == 3:
        return symbol.key[1].key[0] == "attr" and symbol.key[1].key[-1] == "shape" and type(symbol.key[2]) is int
    return symbol.key[0] == "size" and len(symbol.key) == 3


def size_of(value: Value) -> int | None:
    if isinstance(value, Const) and type(value.value) is int and not value.scale:
        return value.value
    return None


def count_held(machine: Machine, value: Value) -> int | None:
    if isinstance(value, Const):
        return 1 if isinstance(value.value, bool | int | float) else None
    if isinstance(value, Unknown):
        return 1 if is_whole(value.symbol) else None
    items = containers.items_of(machine, value)
    counts = [count_held(machine, item) for item in items] if items is not None else [None]
    return sum(one for one in counts if one is not None) if None not in counts else None


def known(value: Value | None, fact: str) -> Any:
    if isinstance(value, Unknown) and fact == TYPE:
        return numbers_in(value.symbol)
    return value.facts.get(fact) if isinstance(value, Object) else None


def retyped(value: Value, call: Invocation) -> bool:
    """`x.double().to(kind)`: it may be of that type, if the argument is no device. `x.to(torch.bool)` are truths."""
    if any(type_named(given) == "bool" for given in call.values):
        return True
    return known(value, TYPE) is not None and not all(names_device(given) for given in call.values)


def names_device(value: Value) -> bool:
    if isinstance(value, Unknown):
        return "device" in str(value.symbol.key[-1])
    return is_device(value) or isinstance(value, Const | Row)


def converted(source: Object, made: Object, name: str, call: Invocation) -> None:
    """`x.float()`, `x.to(device)`, `x.to(torch.float64)`"""
    if COUNT in source.facts:
        made.facts[COUNT] = source.facts[COUNT]
    if name in CONVERTS:
        made.facts[TYPE] = SPELLED_TYPES.get(name, name)
        return
    named = [found for value in call.values if (found := type_named(value)) is not None]
    own = [value.cause for value in call.values if is_type_by_rank(value)]
    unsure = any(isinstance(value, Unknown | Object) and not is_device(value) for value in call.values)
    if name in ("to", "type") and named:
        made.facts[TYPE] = named[0]
    elif name in ("to", "type") and own:
        made.facts[OWN_TYPE] = own[0]
    elif name not in ("to", "type") or not unsure:
        of_same_type(made, source)


def is_type_by_rank(value: Value) -> bool:
    """`torch.float64 if rank == 0 else torch.float32`"""
    return isinstance(value, Row) and value.cause is not None and all(type_named(lane) for lane in value.lanes)


def is_device(value: Value) -> bool:
    return isinstance(value, Object) and value.kind == "torch.device"


def type_chosen(machine: Machine, call: Invocation) -> Value:
    """`torch.set_default_dtype(torch.float64)`: what a tensor is made of is no longer known by how it is made."""
    machine.facts[OWN_CHOICE] = True
    return NONE


MODELS: dict[str, Any] = {"type_chosen": type_chosen}
