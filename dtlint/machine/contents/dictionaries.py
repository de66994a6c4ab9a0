"""Which keys does a dictionary have, and which does it lose?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.starts import given
from dtlint.machine.values import (
    FALSE,
    MISSING,
    TRUE,
    ClassRef,
    Const,
    External,
    FunctionRef,
    Object,
    Row,
    Tuple,
    Unknown,
    Value,
    lane_value,
)


def entries(value: Object) -> Iterator[tuple[Any, Value]]:
    """The known keys of a dictionary that are still there, with what it holds under them."""
    for name, held in value.attributes.items():
        if isinstance(name, tuple) and name[0] == "key" and held is not MISSING:
            yield name[1], held


def key_for(table: Value, index: Value) -> Value:
    """What stands under a class, a function or a tuple of which all parts are known stands there as under a constant:
    `makers[Loader]`, `moves[State.IDLE, "start"]`, `groups[node, slot]`."""
    if not isinstance(table, Object) or table.kind != "dict":
        return index
    rows = [item for item in index.items if isinstance(item, Row)] if isinstance(index, Tuple) else []
    if not rows:
        return as_key(index)
    assert isinstance(index, Tuple)
    keys = [as_key(Tuple(tuple(lane_value(item, lane) for item in index.items))) for lane in range(len(rows[0].lanes))]
    return Row(tuple(keys), rows[0].cause) if all(isinstance(key, Const) for key in keys) else index


def as_key(index: Value) -> Value:
    if isinstance(index, ClassRef | FunctionRef | External):
        return Const(index)
    if isinstance(index, Tuple):
        parts = [as_key(one) for one in index.items]
        known = [one.value for one in parts if isinstance(one, Const) and one.scale in (None, "rank")]
        return Const(tuple(known)) if len(known) == len(parts) else index
    return index


def of_key(key: Any) -> Value:
    """The value that stands there as a key."""
    if isinstance(key, tuple):
        return Tuple(tuple(map(of_key, key)))
    return key if isinstance(key, Value) else Const(key)


def take_out(machine: Machine, container: Value, index: Value, mask: int) -> None:
    """`del options["shuffle"]`, `options.pop("shuffle")`: on all lanes that have it; on some it may stay."""
    from dtlint.machine.contents import keys_of_some, written

    index = key_for(container, index)
    if isinstance(container, Unknown) and isinstance(index, Const):
        written.take_out(machine, container, str(index.value), mask)
    if isinstance(container, Object) and container.kind == "dict" and isinstance(index, Const):
        name = ("key", index.value)
        keys_of_some.taken_out(machine, container, index.value, mask)
        if name in container.attributes and mask & container.birth == container.birth:
            machine.set(container, name, MISSING, mask)


def is_plain(value: Value) -> bool:
    """A dictionary, and no table that a program counts with."""
    return isinstance(value, Object) and value.kind == "dict" and "builtin" not in value.facts


def united(machine: Machine, left: Value, right: Value) -> Object:
    """`defaults | {"workers": 0}`: a new one, with what both of them hold; the right one has the last word."""
    from dtlint.machine.names import put_items

    birth = next(side.birth for side in (left, right) if isinstance(side, Object))
    made = machine.new("dict", birth)
    put_items.merge(machine, made, left, birth)
    put_items.merge(machine, made, right, birth)
    return made


def one_of_makers(machine: Machine, base: Object, index: Value) -> Value | None:
    """`OPTIMIZERS[args.optimizer]`: what stands under the option's default; where it has none, whichever of the classes
    it is; of one kind, the first stands for all of which there is nothing to say."""
    from dtlint.machine.functions import one_of_several
    from dtlint.machine.library.python import by_settings, namespaces

    if namespaces.OF in base.facts:
        return namespaces.chosen(machine, base, index)
    held = dict(entries(base))
    if not held or not same_by_intent(index) or "[]" in base.attributes:
        return None
    chosen = held.get(default_of(machine, index))
    if isinstance(chosen, FunctionRef | ClassRef | External):
        return chosen
    named = by_settings.spoken(machine, index, held.__contains__)
    held = {name: held[name] for name in named} or held
    first = next(iter(held.values()))
    if all(isinstance(value, ClassRef | FunctionRef) for value in held.values()):
        if isinstance(index, Unknown):
            found = one_of_several.of_table(machine, held, index)
        else:
            found = one_of_several.maker(machine, list(held.values()), (base.number, token(index)))
        if found is not first or one_of_several.leads_on(machine, first):
            return found
        return first if one_of_several.common_base(machine, list(held.values())) else None
    rows = [machine.knowledge.api(value.name) if isinstance(value, External) else None for value in held.values()]
    return first if all(row is not None and row.does == "make" for row in rows) else None


def same_by_intent(name: Value) -> bool:
    """What ranks read from files for themselves says to all of them which class is meant."""
    return name.cause is None or name.cause.kind == "files"


def is_open(value: Object) -> bool:
    """May it have other keys than those that are known?"""
    return isinstance(value.attributes.get("[]"), Unknown | Row)


def has_key(machine: Machine, value: Object, key: Value) -> Unknown:
    """`key in table` asks who has put something there, not what."""
    from dtlint.machine.contents import containers, lacking

    keys = containers.any_key(machine, value)
    names = [("key", key.value)] if isinstance(key, Const) else [name for name in value.attributes if name != "[]"]
    there = [lacking.asked(machine, value, name, TRUE, FALSE) for name in names]
    parts = (key, keys, *(one for one in there if one is not None))
    cause = next((one.cause for one in parts if one.cause is not None), None)
    return machine.unknown("compare in", token(key), keys.symbol, cause=cause, tags=key.tags | keys.tags)


def default_of(machine: Machine, index: Value) -> Any:
    """What an option of the command line or of the environment is where nobody gives it."""
    from dtlint.machine.library.python import environment_use

    if not isinstance(index, Unknown):
        return None
    key = index.symbol.key
    if given.is_option(index.symbol):
        return machine.facts.get(given.DEFAULTS, {}).get(key[2])
    found = machine.facts.get(environment_use.DEFAULTS, {}).get(key[1]) if key[0] == "environment" else None
    return found.value if isinstance(found, Const) else None
