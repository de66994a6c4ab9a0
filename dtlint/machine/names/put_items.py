"""What does `x[index] = value` leave?"""

from __future__ import annotations

import operator

from dtlint.machine import library
from dtlint.machine.contents import asked_for, filled_by, keys_of_some, lacking, own_keys, written
from dtlint.machine.contents.containers import (
    ITEMS,
    KEYS,
    UNEVEN,
    element,
    is_closed_table,
    is_text,
    items_of,
)
from dtlint.machine.contents.dictionaries import entries, key_for, of_key
from dtlint.machine.contents.keys_of_some import OTHERS
from dtlint.machine.contents.opaque import opaque
from dtlint.machine.contents.rearranged import rearranged
from dtlint.machine.core import Machine
from dtlint.machine.joining import join
from dtlint.machine.lanes import row, token
from dtlint.machine.names.subscripts import (
    DEFAULT,
    FIELDS,
    WRITTEN,
    a_key_more,
    derived,
    in_order_of,
    item_one,
    named_by_itself,
    names_rows,
    others_in,
    own_key,
)
from dtlint.machine.values import (
    FILLED,
    NONE,
    Cause,
    ClassRef,
    Const,
    Object,
    Row,
    Tuple,
    Unknown,
    Value,
)


def only_changes(container: Value) -> bool:
    """A plain dictionary: `d[key] += 1` works for keys only that are there."""
    return isinstance(container, Object) and container.kind == "dict" and DEFAULT not in container.facts


def change(machine: Machine, container: Value, index: Value, value: Value, mask: int) -> None:
    """Put a new value where there is one already; any of them where nobody knows the key."""

    assert isinstance(container, Object)
    held = container.attributes.get("[]")
    if isinstance(index, Const):
        put(machine, container, index, value, mask)
        return
    if held is not None:
        widened = opaque(machine, "values", value, held)
        machine.set(container, "[]", Unknown(widened.symbol, held.cause or value.cause, held.tags), mask)
    symbol = machine.symbols.of("changed", container.number, token(index))
    for name, old in list(container.attributes.items()):
        if isinstance(name, tuple) and not isinstance(old, Object):
            machine.set(container, name, join(old, value, machine.symbols, symbol, index.cause), mask)


def copied_into(machine: Machine, tensor: Value, value: Value) -> None:
    """The content of one tensor is read, that of the other is overwritten: one of them may be on its way still."""
    if "running" in machine.facts:
        from dtlint.machine.library.computing import marks
        from dtlint.machine.library.meeting import works

        works.overwritten(machine, tensor)
        works.computed(machine, "op =", (value,), marks.deep_tags((value,)))


def for_each_key(machine: Machine, container: Object, index: Value, value: Value, mask: int) -> bool:
    """`for name in names: all_reduce(sums[name])`: is something that all ranks have put under one key after the other?
    Keys that the loop does not come to are not thought of."""
    turning = machine.frame.loops[-1].item if machine.frame.loops else None
    parts = (
        turning.items
        if isinstance(turning, Tuple)
        else (turning, *getattr(getattr(turning, "like", None), "items", ()))
    )
    everywhere = not container.birth & ~mask and value.cause is None
    return everywhere and isinstance(index, Unknown) and any(token(one) is index.symbol for one in parts if one)


def put(machine: Machine, container: Value, index: Value, value: Value, mask: int) -> None:
    """`container[index] = value`"""
    index = key_for(container, own_key(index))
    if isinstance(container, Unknown) and container.like is not None:
        container = container.like
    if isinstance(container, Row):
        for held in {id(one): one for one in container.lanes}.values():
            put(machine, held, index, value, mask)
        return
    if mask != machine.world.full:
        from dtlint.machine.library.training import parts

        parts.put(machine, container, value, mask)
    if isinstance(container, Unknown) and written.keeps(container) and isinstance(index, Const) and is_text(index):
        before = item_one(machine, container, index, mask)
        written.write(machine, container, str(index.value), value, before, mask)
    if not isinstance(container, Object):
        if names_rows(index):
            copied_into(machine, container, value)
        return
    if is_text(index) and derived(machine, container):
        machine.set(container, ("key", index.value), value, mask)  # type: ignore[attr-defined]
    elif isinstance(container.kind, ClassRef):  # what is read of it from here on is something else
        machine.set(container, WRITTEN, machine.fresh("put"), mask)
    elif container.kind == "dict":
        from dtlint.machine.library.computing import tensors

        filled_by.put(machine, container, mask)
        tensors.put_into(machine, container, value)
        if isinstance(index, Const):
            try:
                hash(index.value)
            except TypeError:
                return
            keys_of_some.put(machine, container, index.value, mask)
            if mask & container.birth != container.birth and ("key", index.value) not in container.attributes:
                one_key_more(machine, container, machine.control_cause() or Cause("rank"))
            machine.set(container, ("key", index.value), value, mask)
            if FIELDS in container.facts:
                machine.set(container.facts[FIELDS], index.value, value, mask)
            if FILLED in container.attributes:
                machine.set(container, FILLED, NONE, mask)
        else:
            old = container.attributes.get("[]")
            if old is not None and for_each_key(machine, container, index, value, mask):
                old = None  # nothing of what stood there is left
            widened = opaque(machine, "values", value, *([old] if old is not None else []))
            # a table that was filled beforehand has been filled for the keys that come
            for_all = old is not None and UNEVEN not in old.tags
            filled = for_all or any(isinstance(name, tuple) for name in container.attributes)
            many = old is not None and UNEVEN in old.tags  # how long one of them is, is not how many there are
            told = widened.tags if many else widened.tags - {UNEVEN}
            tags = told if for_all else in_order_of(container, index, told)
            named_by_itself(container, index, value)
            own = own_keys.cause(machine, container, index)
            if own is not None and not filled:
                tags |= {UNEVEN}
            stands_for = standing_for(value, old)
            held = Unknown(widened.symbol, own or widened.cause, tags, stands_for)
            machine.set(container, "[]", held, mask)
            if index.cause is None:
                by_text(machine, container, index)
            if index.cause is None and value.cause is None:
                perhaps_another(machine, container, index, value, mask)
    elif container.kind == "torch.Tensor":
        copied_into(machine, container, value)
        old = container.attributes.get("content", NONE)
        if index.cause is not None:  # where it stands tells one rank from another, whatever it is
            held = opaque(machine, "put", old, value, index)
        else:
            held = value if isinstance(old, Const) else opaque(machine, "put", old, value)
        machine.set(container, "content", held, mask)
    elif container.kind == "list":
        known = items_of(machine, container)
        own_part = isinstance(index, Row) and isinstance(value, Unknown)  # `gathered[rank] = mine`: made of all of them
        if not own_part and rearranged(machine, container, operator.setitem, (index, value), mask) is not None:
            return
        if known is not None and isinstance(index, Const) and isinstance(index.value, int):
            return  # there is no such place
        if value.cause is not None or index.cause is not None:
            filled_by.put(machine, container, mask)
            widened = opaque(machine, ITEMS, value, index)
            machine.set(container, "[]", widened, mask)
        else:
            filled_by.put(machine, container, mask)
            several = container.attributes.get("[]")
            if known is not None:
                symbol = machine.symbols.of("changed", container.number, token(index))
                perhaps = tuple(join(value, old, machine.symbols, symbol, None) for old in known)
                machine.set(container, "[]", Tuple(perhaps), mask)
            elif isinstance(several, Unknown):  # one of them is another now
                symbol = machine.symbols.of("put", several.symbol, token(value))
                now = Unknown(symbol, several.cause, several.tags, several.like)
                machine.set(container, "[]", now, mask)


def by_text(machine: Machine, table: Object, key: Value) -> None:
    """`sums[name] = …`: of a key that is a text it is known that they all are."""
    from dtlint.machine.library.python import own_order

    if KEYS not in table.facts and own_order.is_text(machine, key):
        table.facts[KEYS] = key


def standing_for(value: Value, old: Value | None) -> Object | None:
    """`loaders[name] = DataLoader(…)`: what one line puts under names that nobody knows is of one make."""
    made = value if isinstance(value, Object) else getattr(value, "like", None)
    if made is None or old is None:
        return made
    before = getattr(old, "like", None)
    same = before is not None and (before.kind, before.path, before.at) == (made.kind, made.path, made.at)
    return before if same else None


def perhaps_another(machine: Machine, table: Object, index: Value, value: Value, mask: int) -> None:
    """`options[name] = value` with a name nobody knows: what was put in as a placeholder may be something by now."""
    symbol = machine.symbols.of("changed", table.number, token(index))
    for name, old in list(table.attributes.items()):
        if isinstance(name, tuple) and old == NONE:
            machine.set(table, name, join(value, old, machine.symbols, symbol, None), mask)


def one_key_more(machine: Machine, container: Object, cause: Cause) -> None:
    """Some lanes have a key that the others lack."""
    held = machine.unknown(*a_key_more(container), cause=cause, tags=frozenset({UNEVEN}))
    machine.set(container, OTHERS, others_in(machine, container), container.birth)
    machine.set(container, "[]", held, container.birth)


def merge(machine: Machine, target: Object, source: Value, mask: int) -> None:
    """`target.update(source)` for a dictionary."""
    filled_by.put(machine, target, mask)
    if isinstance(source, Object) and source.kind == "dict":
        some = keys_of_some.is_closed(source) and ("[]" not in target.attributes or keys_of_some.is_closed(target))
        for name, value in list(source.attributes.items()):
            if some and name in ("[]", OTHERS):
                continue  # only that some lanes have a key more, which is said of the keys themselves
            lanes = lacking.lanes_with(machine, source, name) if some else None
            if lanes is not None and name not in target.attributes:
                lacking.made_by(machine, target, name, lanes & mask)
                one_key_more(machine, target, keys_of_some.because(machine, source))
            machine.set(target, name, value, mask)
            if FIELDS in target.facts and isinstance(name, tuple):
                machine.set(target.facts[FIELDS], name[1], value, mask)
        return
    if isinstance(source, Row) and merged_by_lane(machine, target, source, mask):
        return
    pairs = items_of(machine, source) if isinstance(source, Tuple | Object) else None
    if pairs is not None and all(isinstance(pair, Tuple) and len(pair.items) == 2 for pair in pairs):
        for pair in pairs:
            assert isinstance(pair, Tuple)
            put(machine, target, pair.items[0], pair.items[1], mask)
        return
    keyed = under_keys(machine, source, mask)
    for key, value in keyed:
        put(machine, target, key, value, mask)
    if not keyed and (source.cause is not None or not isinstance(source, Const)):
        tags = machine.flow(machine, "item", (source,), source.tags) if machine.flow is not None else frozenset()
        machine.set(target, "[]", machine.unknown("merged", token(source), cause=source.cause, tags=tags), mask)
        for key, held in list(entries(target)):
            found = asked_for.perhaps(machine, held, source, key)
            if found is not None:
                machine.set(target, ("key", key), found, mask)
    for name, held in list((written.onto(machine, source) or {}).items()):
        put(machine, target, Const(name), held, mask)


def merged_by_lane(machine: Machine, target: Object, source: Row, mask: int) -> bool:
    """`dict(kind="adam", **options)`, where each lane has options of its own under names that are the same."""
    tables = [dict(entries(one)) for one in source.lanes if is_closed_table(one)]
    if len(tables) < len(source.lanes) or len({tuple(table) for table in tables}) > 1:
        return False
    for key in tables[0]:
        put(machine, target, of_key(key), row(tuple(table[key] for table in tables), source.cause), mask)
    return True


def under_keys(machine: Machine, source: Value, mask: int) -> list[tuple[Value, Value]]:
    """`zip(names, values)`: what comes under each of the keys, where these are known, else under any."""
    inner: tuple[Value, ...] = source.facts["inner"] if isinstance(source, Object) and source.kind == "<zip>" else ()
    if len(inner) != 2:
        return []
    keys = items_of(machine, inner[0])
    first, second = (
        library.reading.element(machine, library.reading.iterated(machine, one, mask), mask) for one in inner
    )
    return [(key, second) for key in (keys if keys is not None else (first,))]


def counted(machine: Machine, counter: Object, value: Value, mask: int) -> None:
    """`Counter(words)`, `counter.update(words)`: each of them is a key from now on."""
    if isinstance(value, Object) and value.kind == "dict":
        merge(machine, counter, value, mask)
        return
    items = items_of(machine, value)
    for item_ in items if items is not None else (element(machine, value),):
        put(machine, counter, item_, machine.unknown("count", counter.number), mask)
