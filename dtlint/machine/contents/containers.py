"""What do lists, tuples, dictionaries and sets hold, as far as it is known item by item?"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeGuard

from dtlint.machine.contents import dealt, filled_by
from dtlint.machine.contents.dictionaries import entries, of_key
from dtlint.machine.contents.opaque import deep_cause, inner_tags
from dtlint.machine.core import Machine
from dtlint.machine.joining import join, orders_in
from dtlint.machine.lanes import map_lanes, of_each, row, token
from dtlint.machine.values import (
    CONTAINERS,
    FILLED,
    ITEMS,
    MISSING,
    NONE,
    UNEVEN,
    Cause,
    ClassRef,
    Const,
    Object,
    Row,
    Symbol,
    Tuple,
    Unknown,
    Value,
    content,
    lane_value,
)

MANY = 64
SHORT = 16  # items of a list that differs between lanes
REPEAT = "repeat"  # symbol: the same items over and over, nobody knows how often
REPEATED = "how often a list was repeated"  # fact of a list, where nobody knows the number
TIMES = "times"  # fact of a list: by which number of processes or devices its items are repeated
# fact of a generator: any one of the items that it may give, where all of them are known; of a dictionary that was made
# under a condition: the pairs that may be in it
FILTERED = "filtered"
KEYS = "keys"  # fact: one of the keys nobody knows
NAMESPACE = "namespace"  # fact: the keys of a dictionary are its attributes, too; which class has made it so
ALIKE = "alike parts"  # tag, with the places: each item has parts of which these are the same on all lanes
COLUMNS = "columns"  # fact of a list: it was made by `zip(*rows)`, and one column in it is like the next
OF_EACH = "parts of each"  # tag: how many parts each item has depends on what this rank has in it
KEPT = "kept"  # tag: some lanes alone keep items, and these tell of what they saw themselves


def mapped_items(value: Object, change: Callable[[Any, Value], Value]) -> Object:
    """The same thing with other items."""
    made = Object(value.kind, value.birth, value.number, value.at, value.path)
    made.facts = value.facts
    for name, held in value.attributes.items():
        made.attributes[name] = change(name, held)
    return made


def is_list(value: Value) -> bool:
    return isinstance(value, Object) and value.kind == "list"


def is_closed_table(value: Value | None) -> TypeGuard[Object]:
    """A dictionary of which every name is known."""
    return isinstance(value, Object) and value.kind == "dict" and "[]" not in value.attributes


def items_of(machine: Machine, value: Value) -> tuple[Value, ...] | None:
    """The items, when every one is known."""
    if isinstance(value, Tuple):
        return value.items
    if isinstance(value, Object) and isinstance(value.kind, str):
        if value.kind in ("list", "set"):
            held = value.attributes.get("[]")
            return held.items if isinstance(held, Tuple) else None
        if is_closed_table(value):
            return tuple(of_key(name) for name, _ in entries(value))
    if isinstance(value, Object) and "order" in value.facts:  # a named tuple
        fields = tuple(value.attributes.get(name, MISSING) for name in value.facts["order"])
        return fields if MISSING not in fields else None
    if isinstance(value, Const) and isinstance(value.value, str) and len(value.value) <= MANY:
        return tuple(Const(letter) for letter in value.value)
    return None


def perhaps_filled(value: Value) -> bool:
    """Did a branch decide whether there is anything in it?"""
    return isinstance(value, Object) and isinstance(value.attributes.get(FILLED), Unknown)


def columns_in(base: Value) -> bool:
    return isinstance(base, Object) and COLUMNS in base.facts


def element(machine: Machine, value: Value, index: Value | None = None) -> Value:
    """Any one item; the one at an index nobody knows."""
    known = items_of(machine, value)
    if known is not None:
        if not known:
            return machine.fresh("item of nothing")
        result = known[0]
        symbol = machine.symbols.of("any", token(value), *(() if index is None else (token(index),)))
        for item_value in known[1:]:
            result = join(result, item_value, machine.symbols, symbol, None)
        from dtlint.machine.contents import any_record

        return any_record.of(machine, known, symbol) or result
    if isinstance(value, Row):
        return map_lanes(lambda held: element(machine, held), (value,), machine.world)
    if isinstance(value, Object) and "[]" in value.attributes:
        if value.kind == "dict" and index is None:
            return any_key(machine, value)
        held = value.attributes["[]"]
        if columns_in(value):
            return held
        return one_of(machine, held, getattr(held, "like", None))
    return one_of(machine, content(value))


def one_of(machine: Machine, held: Value, like: Value | None = None) -> Unknown:
    """That some lanes have more items says nothing of any item; that each has a number of its own does."""
    tags = held.tags - {UNEVEN, OF_EACH}
    made = machine.unknown("item", token(held), cause=held.cause, tags=tags, like=like)
    if OF_EACH not in held.tags:
        return made
    from dtlint.machine.library.computing.tensors import OWN_ROWS

    return Unknown(machine.symbols.of(OWN_ROWS, made.symbol), made.cause, tags)


def held_in(value: Value) -> Value:
    """What is known of all items together, of a list in which they are not known one by one."""
    if isinstance(value, Object) and value.kind in ("list", "set"):
        return value.attributes.get("[]", value)
    return content(value)


def without_lengths(tags: Iterable[Any]) -> frozenset[Any]:
    """What is known of it, other than how long it is."""
    return frozenset(tag for tag in tags if tag != UNEVEN and not (type(tag) is tuple and tag[0] == "lengths"))


def any_key(machine: Machine, value: Object) -> Unknown:
    """One of the keys of a dictionary. They are the same ones on all lanes, whatever stands under them, unless some
    lane was given others."""
    held, known = value.attributes["[]"], value.facts.get(KEYS)
    keyed = (token(known),) if known is not None else ()
    cause = held.cause if UNEVEN in held.tags else known.cause if known is not None else None
    return machine.unknown("keys", value.number, token(held), *keyed, cause=cause, tags=held.tags & {UNEVEN})


def of_lanes(value: Value) -> Row | None:
    """What each lane has in this list, where that is known of each and is not the same."""
    held = value.attributes.get("[]") if isinstance(value, Object) and FILLED not in value.attributes else None
    return held if isinstance(held, Row) and all(isinstance(one, Tuple) for one in held.lanes) else None


def one_walk(value: Value) -> Value:
    """`enumerate(loader)` on some ranks and `enumerate(tqdm(loader))` on others walk over the same loader;
    `range(first, last)` and `tqdm(range(first, last))` take the same turns. `loaders[name]` is walked over as any of
    those that one line has put there."""
    if isinstance(value, Unknown) and isinstance(value.like, Object) and value.like.kind not in CONTAINERS:
        return value.like
    if isinstance(value, Row) and value.lanes:
        held, *others = map(behind, value.lanes)
        first = walked(held)
        if all(other is held or (first is not None and walked(other) == first) for other in others):
            return held
    return value


BEHIND = "behind a bar"  # fact of an instance of a class derived from a progress bar: what it was given to walk over


def behind(value: Value) -> Value:
    """`Bar(loader)` of the project's own `class Bar(tqdm)` gives what the loader gives."""
    given = value.facts.get(BEHIND) if isinstance(value, Object) else None
    return behind(given) if isinstance(given, Value) else value


def walked(value: Value) -> object:
    """What an iterator takes its items from, and how."""
    if isinstance(value, Object) and value.kind in ("<enumerate>", "<zip>"):
        return (value.kind, *(walked(inner) or inner for inner in value.facts.get("inner", ())))
    if isinstance(value, Object) and value.kind == "builtins.range":
        return (value.kind, *(token(value.attributes.get(name, NONE)) for name in ("start", "stop", "step")))
    return None


def length_cause(machine: Machine, value: Value) -> Cause | None:
    """Why the number of items may differ between lanes."""
    if isinstance(value, Row):
        known = [items_of(machine, held) for held in value.lanes]
        if all(one is not None for one in known) and len({len(one) for one in known if one is not None}) == 1:
            return None
        if all(one is None for one in known):
            # each holds something else; whether the one is longer than the other, nobody said
            return next((cause for held in value.lanes if (cause := length_cause(machine, held)) is not None), None)
        return value.cause
    if isinstance(value, Unknown):
        return value.cause if own_many(value) or UNEVEN in value.tags else None
    if isinstance(value, Object) and isinstance(value.kind, str):
        if "shape" in value.facts:
            return of_rows(value)
        held = value.attributes.get("[]")
        if held is not None and held is not value and not columns_in(value):
            return length_cause(machine, held)
        if value.kind in ("<enumerate>", "<zip>"):  # what is not longer on some lanes may end the others, too
            causes = [length_cause(machine, inner) for inner in value.facts["inner"]]
            return causes[0] if causes and None not in causes else None
    return None


def of_rows(tensor: Object) -> Cause | None:
    """Why a tensor may have more rows on some lanes: it was told how many, or made of a list that is longer there."""
    told: Value | None = tensor.facts.get("length")
    cause: Cause | None = told.cause if told is not None else tensor.facts["shape"]
    return cause


def own_many(value: Unknown) -> bool:
    """`scores[scores > 0.5]` has as many items as this rank has such scores."""
    if value.cause is None:
        return False
    from dtlint.machine.library.computing.tensors import counted_by_content

    return counted_by_content(value.symbol)


def has_own_many(item: Value) -> bool:
    """An item of a list that has, on each lane, as many parts as that lane knows of. That it was computed from
    something of uneven length is not enough: `float(loss)` of such a batch is one number."""
    return isinstance(item, Unknown) and own_many(item)


def pieces_cause(machine: Machine, value: Value) -> Cause | None:
    """Why a list may hold, all its items taken together, more parts on some lanes."""
    items = items_of(machine, value)
    if items is not None:
        return next((one.cause for one in map(content, items) if isinstance(one, Unknown) and own_many(one)), None)
    held = held_in(value)
    return held.cause if OF_EACH in held.tags else length_cause(machine, value)


def truth(machine: Machine, value: Object) -> tuple[bool | None, Symbol, Cause | None]:
    if value.kind == "torch.Tensor":
        from dtlint.machine.contents.truth import truth_of

        held = value.attributes.get("content")
        if held is None or isinstance(held, Row | Object):
            return None, machine.symbols.of("tensor", value.number), held.cause if held else None
        return truth_of(machine, held)
    if isinstance(value.kind, str) and value.kind in ("list", "set", "dict"):
        known = items_of(machine, value)
        held = value.attributes.get("[]")
        symbol = machine.symbols.of("filled", value.number, *((held.symbol,) if isinstance(held, Unknown) else ()))
        unsure = value.attributes.get(FILLED)
        if known is not None and isinstance(unsure, Unknown):
            return None, unsure.symbol, unsure.cause
        if known is not None:
            return bool(known), symbol, None
        return None, symbol, length_cause(machine, value)
    return True, machine.symbols.of("true"), None


def contains(machine: Machine, container: Value, value: Value) -> bool | None:
    known = items_of(machine, container)
    if known and none_of_these(value, known):
        return False
    if known is None:
        return None
    from dtlint.machine.contents.rearranged import alike

    equal = [alike(machine, item_value, value) for item_value in known]
    return True if True in equal else None if None in equal else False


def none_of_these(value: Value, words: tuple[Value, ...]) -> bool:
    """`os.path.join(folder, "weights.bin") in NAMES`: a path, and words of which none ends as it does."""
    key = value.symbol.key if isinstance(value, Unknown) else ()
    if key[:1] != ("path",) or len(key) < 3 or not isinstance(key[-1], str):
        return False
    last = posixpath.basename(key[-1])
    return all(isinstance(word, Const) and posixpath.basename(str(word.value)) != last for word in words)


def is_text(value: Value) -> bool:
    return isinstance(value, Const) and isinstance(value.value, str)


def of_unknown_make(value: Value) -> bool:
    """`states[rank]`: each lane has another one, but what kind of thing it is, and its parts, are the same."""
    return isinstance(value, Row) and all(isinstance(held, Unknown) for held in value.lanes)


def names_a_part(key: Value, holder: Value) -> bool:
    """`"attention_mask" in batch`: batches of one program have the same parts on every rank."""
    if not is_text(key) or not isinstance(holder, Unknown):
        return False
    return any(type(tag) is tuple and tag[0] == "loader" for tag in holder.tags)


def append(
    machine: Machine,
    container: Object,
    value: Value,
    mask: int,
    several: bool = False,
    uneven: Cause | None = None,
) -> None:
    """`several`: nobody knows how many, and the value is any one of them; `uneven`, why lanes add more than others."""
    dealt.put(container)
    for other in container.instead:  # `lists[index].append(…)`: nobody knows which, and none is certainly empty now
        if other.kind == container.kind and other.attributes.get("[]") == Tuple(()):
            machine.set(other, "[]", grown(machine, None, value, None), mask)
    filled_by.put(machine, container, mask)
    held = container.attributes.get("[]")
    lanes_differ = machine.control_cause() if mask & container.birth != container.birth else None
    part = taken_apart(machine, container.number) if lanes_differ is None else None
    if part is not None:
        longer = grown(machine, held, value, part.uneven)
        machine.set(container, "[]", Unknown(longer.symbol, part.cause, longer.tags | part.marks), mask)
        return
    if isinstance(held, Tuple) and len(held.items) < MANY and lanes_differ is None and not several:
        machine.set(container, "[]", Tuple((*held.items, value)), mask)
        if FILLED in container.attributes:
            machine.set(container, FILLED, NONE, mask)
        return
    cause = lanes_differ or (held.cause if isinstance(held, Row) else None)
    if held is not None and cause is not None and uneven is None and known_by_lane(held):
        items = [lengthened(lane_value(held, lane), lane_value(value, lane)) for lane in range(machine.world.size)]
        machine.set(container, "[]", row(tuple(items), cause), mask)
        return
    longer = grown(machine, held, value, lanes_differ or uneven)
    unshared = orders_of_turns(machine, container.number, value)
    tags = longer.tags | unshared
    machine.set(container, "[]", Unknown(longer.symbol, longer.cause, tags, longer.like) if unshared else longer, mask)


def orders_of_turns(machine: Machine, number: int, value: Value) -> frozenset[Any]:
    """`for entry in os.scandir(root): shards.append(Shard(entry.path))`: what is made of the item of a turn, and put
    into the container with this number, which is older than the loop, comes in the order of the turns."""
    if not isinstance(value, Object) or not machine.frame.loops:
        return frozenset()
    from dtlint.machine.library.computing import provenance

    held = {tag for one in value.attributes.values() if isinstance(one, Unknown) for tag in orders_in(one)}
    turns = [state.subject for state in machine.frame.loops if number <= state.newest and state.subject is not None]
    return frozenset(tag for subject in turns for tag in provenance.marks(subject, "order", 1)) & held


class Apart(NamedTuple):
    """Why lanes put other items into a container; `uneven`, if not equally many."""

    cause: Cause
    uneven: Cause | None
    marks: frozenset[Any]


def taken_apart(machine: Machine, number: int) -> Apart | None:
    """What a loop around says of the items that are put here into the container with this number, which is older: its
    turns differ in number between lanes, or who takes part in a turn does."""
    from dtlint.machine.library.feeding import sharding
    from dtlint.machine.library.python.generators import stops_alike

    outer = next(((cause, marks) for newest, cause, marks in machine.uneven if number <= newest), None)
    if outer is not None:
        return Apart(outer[0], outer[0], outer[1])
    part = sharding.kept_by_turn(machine, number)
    if part is None:
        return None
    uneven = None if part.even or stops_alike(machine) else part.cause
    return Apart(part.cause, uneven, frozenset(part.marks))


def known_by_lane(held: Value | None) -> bool:
    lanes = held.lanes if isinstance(held, Row) else (held,)
    return all(isinstance(one, Tuple) and len(one.items) < SHORT for one in lanes)


def lengthened(held: Value | None, value: Value) -> Value:
    return Tuple((*held.items, value)) if isinstance(held, Tuple) else value


def grown(machine: Machine, held: Value | None, value: Value, uneven: Cause | None) -> Unknown:
    cause = uneven or own_cause(held) or deep_cause(machine, (value,)) or of_data(value)
    tags = (held.tags if isinstance(held, Unknown) else frozenset()) | value.tags - {UNEVEN} | orders_in(value)
    if has_own_many(value):
        tags |= {OF_EACH}
    if uneven is not None:
        tags |= {UNEVEN}
        if (own := deep_cause(machine, (value,))) is not None and own.kind == "data":
            tags |= inner_tags((value,)) | {(KEPT, own.kind)}
    elif cause is not None and (parts := items_of(machine, value)) is not None:
        tags |= {(ALIKE, frozenset(place for place, one in enumerate(parts) if not deep_cause(machine, (one,))))}
    like = value if of_handles(value) or another_of_its_kind(machine, held, value) else None
    return machine.unknown(ITEMS, token(held) if held else 0, token(value), cause=cause, tags=tags, like=like)


def own_cause(held: Value | None) -> Cause | None:
    """Of what has been in it: `[seed, rank, *words]` differs as its second item does."""
    if isinstance(held, Tuple):
        return next((one.cause for one in held.items if one.cause is not None), None)
    return held.cause if held is not None else None


def of_data(value: Value) -> Cause | None:
    """`Data(x=tensor(rows))`, of a library that nobody described: it holds the samples it was made of."""
    made = value.facts.get("call") if isinstance(value, Object) else None
    given = getattr(made, "values", ())
    return next((one.cause for one in given if one.cause is not None and one.cause.kind == "data"), None)


def of_each_lane(listed: Value, place: int, mask: int) -> Value | None:
    """What stands at this place of a list of which each lane has items of its own, if all that ask have one."""
    held = listed.attributes.get("[]") if isinstance(listed, Object) and listed.kind == "list" else None
    if not isinstance(held, Row):
        return None

    def there(one: Value, lanes: int) -> Value | None:
        within = isinstance(one, Tuple) and -len(one.items) <= place < len(one.items)
        return one.items[place] if within else None  # type: ignore[attr-defined]

    return of_each(held, mask, there)


def alike_parts(held: Value) -> frozenset[Any]:
    """Which parts of the item at one place are the same on all lanes? None, where some lanes have more items."""
    marked = frozenset(tag for tag in held.tags if type(tag) is tuple and tag[0] == ALIKE)
    return frozenset() if UNEVEN in held.tags else marked


def alike_part(base: Value, index: Value) -> bool:
    """`for name, shard in shards`: of what was gathered, the parts that stand there were the same on all lanes."""
    places = [tag[1] for tag in base.tags if type(tag) is tuple and tag[0] == ALIKE]
    return bool(places) and isinstance(index, Const) and all(index.value in one for one in places)


def another_of_its_kind(machine: Machine, held: Value | None, value: Value) -> bool:
    """A list that a loop fills with blocks of a model, or with things of one class of the program: each is called as
    this one is."""
    from dtlint.machine.library.training.modules import is_module

    before = held.items if isinstance(held, Tuple) else (held.like,) if isinstance(held, Unknown) else ()
    if isinstance(held, Unknown) and held.symbol.key[0] == "loop" and held.symbol.key[-1] == token(Tuple(())):
        before = ()  # empty when the loop began
    return (
        isinstance(value, Object)
        and (isinstance(value.kind, ClassRef) or is_module(machine, value))
        and all(isinstance(one, Object) and one.kind == value.kind for one in before)
    )


def one_kind(items: tuple[Value, ...]) -> Object | None:
    """The first of the things that a list holds, where all of them are of one class of the program."""
    kinds = {one.kind if isinstance(one, Object) else None for one in items}
    return items[0] if len(kinds) == 1 and isinstance(next(iter(kinds)), ClassRef) else None  # type: ignore[return-value]


def of_handles(value: Value) -> bool:
    """A handle, or `(parameter, work)`: what belongs to a handle is asked for by the handle."""
    from dtlint.machine.library.meeting import works

    if isinstance(value, Object):
        return value.kind == works.KIND
    return (
        isinstance(value, Tuple)
        and bool(works.works_in(value))
        and not any(isinstance(one, Const) for one in value.items)
    )


def extend(machine: Machine, container: Object, added: Value, mask: int) -> None:
    from dtlint.machine.contents import sets
    from dtlint.machine.library.feeding import filled_shares, totals
    from dtlint.machine.library.python import collecting

    dealt.put(container)
    if isinstance(added, Row) and all(items_of(machine, held) is not None for held in added.lanes):
        for lane, held in enumerate(added.lanes):  # `hooks.extend([save] if rank == 0 else [])`
            if mask >> lane & 1:
                extend(machine, container, held, 1 << lane)
        return
    if isinstance(added, Object) and added.kind == "<generator>":
        added = collecting.drawn(machine, "list", added, mask) or added
    items = items_of(machine, added)
    filled = filled_shares.filled(machine, container.attributes.get("[]"), added)
    if filled is not None:
        machine.set(container, "[]", filled, mask)
        return
    if items is None and totals.fills_up(machine, added):
        held = totals.filled_up(machine, container.attributes.get("[]"), added)
        machine.set(container, "[]", held, mask)
        return
    if items is None:
        any_one = element(machine, added)
        longer = length_cause(machine, added) or (sets.repeated(any_one) if container.kind == "set" else None)
        append(machine, container, any_one, mask, True, longer)
    for item_ in items or ():
        append(machine, container, item_, mask)


def concatenate(machine: Machine, left: Object, right: Value) -> Value:
    from dtlint.machine.library.feeding import filled_shares, totals

    first, second = items_of(machine, left), items_of(machine, right)
    made = machine.new("list", left.birth)
    filled = filled_shares.filled(machine, left.attributes.get("[]"), right)
    if filled is not None:
        made.attributes["[]"] = filled
    elif first is not None and second is not None and len(first) + len(second) <= MANY:
        made.attributes["[]"] = Tuple(first + second)
    elif totals.fills_up(machine, right):
        made.attributes["[]"] = totals.filled_up(machine, left.attributes.get("[]"), right)
    else:
        made.attributes["[]"] = grown(machine, left.attributes.get("[]"), element(machine, right), None)
    return made


def repeat(machine: Machine, left: Object, times: Value) -> Value:

    known = items_of(machine, left)
    made = machine.new("list", left.birth)
    if isinstance(times, Const) and times.scale is not None:
        made.facts[TIMES] = times
    if known is not None and len(known) == 1:
        made.facts[REPEATED] = times
    if known is not None and isinstance(times, Const) and isinstance(times.value, int):
        count = max(0, times.value)
        if len(known) * count <= MANY:
            made.attributes["[]"] = Tuple(known * count)
            return made
    what = token(left if known is None else Tuple(known))
    made.attributes["[]"] = machine.unknown(REPEAT, what, token(times), cause=times.cause)
    return made
