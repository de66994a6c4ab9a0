"""What may be in a dictionary that is one of several, or was made of one: `PRESETS[name]`, `dict(PRESETS[name])`?"""

from __future__ import annotations

from typing import Any

from dtlint.machine.contents import containers
from dtlint.machine.contents.dictionaries import entries, of_key
from dtlint.machine.core import Machine
from dtlint.machine.names.subscripts import PRESETS
from dtlint.machine.values import Object, Symbol, Tuple, Unknown, Value

VIEW = "view of"  # fact of a list: the dictionary whose keys or items these are, and which of both


def pairs(machine: Machine, table: Value) -> dict[Any, Value] | None:
    """The keys that it may have, with what stands under them; None where there may be others."""
    if isinstance(table, Unknown):
        return of_one(machine, table.symbol)
    if not isinstance(table, Object) or table.kind != "dict":
        return None
    rest = table.attributes.get("[]")
    if rest is None:
        return dict(entries(table))
    key = rest.symbol.key if isinstance(rest, Unknown) else ()
    merged = of_one(machine, key[1]) if key[:1] == ("merged",) else None
    return None if merged is None else {**merged, **dict(entries(table))}


def of_one(machine: Machine, symbol: Any) -> dict[Any, Value] | None:
    """What is not the same in all of them, nobody knows; some may not have it at all."""
    several = machine.facts.get(PRESETS, {}).get(symbol, ())
    held = [dict(entries(one)) for one in several if isinstance(one, Object) and "[]" not in one.attributes]
    if not held or len(held) < len(several):
        return None
    found: dict[Any, Value] = {}
    for name in dict.fromkeys(name for one in held for name in one):
        first = held[0].get(name)
        alike = first is not None and all(one.get(name) == first for one in held)
        found[name] = first if alike and first is not None else machine.unknown("item", symbol, repr(name))
    return found


def walked(machine: Machine, iterable: Value) -> tuple[Value, ...] | None:
    """What a loop may come by that walks over such a dictionary, its keys or its items."""
    table, view = viewed(iterable)
    found = pairs(machine, table) if table is not None else None
    if found is None:
        return containers.items_of(machine, iterable)
    return tuple(Tuple((of_key(name), held)) if view == "items" else of_key(name) for name, held in found.items())


def viewed(iterable: Value) -> tuple[Value | None, str]:
    if isinstance(iterable, Object):
        found: tuple[Value | None, str] = iterable.facts.get(VIEW, (iterable if iterable.kind == "dict" else None, ""))
        return found
    key = iterable.symbol.key if isinstance(iterable, Unknown) else ()
    asked = key[1].key if key[:1] == ("call",) and len(key) == 2 and isinstance(key[1], Symbol) else ()
    if asked[:1] == ("attr",) and asked[2:] in (("items",), ("keys",)) and isinstance(asked[1], Symbol):
        return Unknown(asked[1]), asked[2]
    return iterable, ""
