"""Which orders does what a data set holds come in?

A table that a library reads by its names (`data_files={"train": path}`) is asked for one of them: the order its keys
came in decides nothing. What stands under a key may have an order of its own, a list of files.
"""

from __future__ import annotations

from typing import Any, TypeGuard

from dtlint.machine.library.computing import provenance
from dtlint.machine.names.subscripts import KEY_ORDER
from dtlint.machine.values import Object, Unknown, Value

UNORDERED = frozenset({"set"})  # no place in it belongs to anything, in whatever order it was filled


def orders_held(held: Value) -> list[tuple[Any, ...]]:
    found = provenance.marks(held, "order", closed=UNORDERED)
    if not found or not isinstance(held, Object) or not isinstance(held.kind, str):
        return found
    parts = list(provenance.parts(held, closed=UNORDERED))
    named = {id(one): table.facts[KEY_ORDER] for table in parts if is_table(table) for one in plain_in(table)}
    told = {tag for part in parts for tag in part.tags - named.get(id(part), frozenset())}
    return [mark for mark in found if mark in told]


def is_table(value: Value) -> TypeGuard[Object]:
    return isinstance(value, Object) and value.kind == "dict" and KEY_ORDER in value.facts


def plain_in(table: Any) -> list[Value]:
    return [one for one in table.attributes.values() if isinstance(one, Unknown) and one.like is None]
