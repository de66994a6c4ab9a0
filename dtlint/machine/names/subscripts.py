"""What does `x[index]` give, and what does `x[index] = value` leave?"""

from __future__ import annotations

from typing import Any

from dtlint.machine import library
from dtlint.machine.contents import by_own_index, dealt, own_keys, written
from dtlint.machine.contents.containers import (
    ALIKE,
    KEYS,
    OF_EACH,
    UNEVEN,
    alike_part,
    alike_parts,
    columns_in,
    element,
    is_closed_table,
    is_text,
    items_of,
    of_each_lane,
    without_lengths,
)
from dtlint.machine.contents.dictionaries import as_key, entries, key_for, one_of_makers
from dtlint.machine.contents.keys_of_some import OTHERS
from dtlint.machine.contents.opaque import opaque
from dtlint.machine.core import Machine
from dtlint.machine.lanes import map_lanes, token
from dtlint.machine.library.computing import provenance
from dtlint.machine.names import classes, enumerations
from dtlint.machine.values import (
    MISSING,
    NONE,
    ClassRef,
    Const,
    FunctionRef,
    Object,
    Row,
    SliceValue,
    Symbol,
    Tuple,
    Unknown,
    Value,
    content,
)

DEFAULT = "default"  # fact: what makes the missing items of a `defaultdict`
PRESETS = "presets"  # fact of the run: what is looked up with an unknown key, and the things it may be
KEY_ORDER = "key order"  # fact: the marks of an order that only the keys have
WRITTEN = "<items>"  # attribute: what has been put into something of a class of the program
FIELDS = "fields of"  # fact: the object whose `__dict__` this is
MAPPINGS = frozenset({"builtins.dict", "collections.OrderedDict", "collections.UserDict", "collections.defaultdict"})


def item(machine: Machine, base: Value, index: Value, mask: int) -> Value:
    index = key_for(base, own_key(index))
    if index.cause is not None:
        from dtlint.machine.library.drawing import draws
        from dtlint.machine.library.feeding import sharding

        draws.rest_by_mask(machine, base, index, mask)
        found = sharding.piece(machine, base, index)
        if found is not None:
            return found
    told = by_name(machine, base, index, "__getitem__", (index,), mask) or of_settings(machine, base, index, mask)
    if told is not None:
        return told
    result = map_lanes(lambda one, other: item_one(machine, one, other, mask), (base, index), machine.world)
    if "picks" in machine.facts or isinstance(index, SliceValue):
        from dtlint.machine.library.feeding import picks

        return picks.taken(machine, base, index, result)
    return result


def own_key(index: Value) -> Value:
    """`states[os.getpid()]`: a number that only names the process finds what this process has put there itself."""
    if isinstance(index, Unknown) and index.cause is not None and index.cause.kind == "process":
        return Unknown(index.symbol, None, index.tags) if index.symbol.key[0] == "source" else index
    return index


def of_settings(machine: Machine, base: Value, index: Value, mask: int) -> Value | None:
    """`params["world_rank"]` of settings nobody knows. A matrix has a "rank" as well."""
    if not isinstance(base, Unknown) or not isinstance(index, Const) or not isinstance(index.value, str):
        return None
    from dtlint.machine.library.meeting.identity import NUMBERS_OF_A_PROCESS

    name, plain = index.value, base.cause is None and base.like is None
    member = machine.knowledge.members.get(name) if plain and name != "rank" else None
    if member is None or member.value not in NUMBERS_OF_A_PROCESS or written.read(machine, base, name) is not None:
        return None
    return library.reading.member_value(machine, member, name, mask)


def by_name(
    machine: Machine, thing: Value, index: Value, method: str, arguments: tuple[Value, ...], mask: int
) -> Value | None:
    """`params["lr"]`, `batches[0]`, where the class itself says what is there; under the name that each rank has."""
    names = index.lanes if isinstance(index, Row) else (index,)
    if not isinstance(thing, Object) or not isinstance(thing.kind, ClassRef) or not all(map(is_written, names)):
        return None
    from dtlint.machine.functions import calls

    found = classes.in_class(machine, thing.kind, method)
    if not isinstance(found, FunctionRef):
        return None
    return calls.follow(machine, found, thing, arguments, (), mask)


def is_written(index: Value) -> bool:
    return isinstance(index, Const) and type(index.value) in (str, int)


def derived(machine: Machine, thing: Object) -> bool:
    """Is this of a class of the project that is a dictionary itself?"""
    if not isinstance(thing.kind, ClassRef):
        return False
    return not MAPPINGS.isdisjoint(classes.external_bases(machine, thing.kind))


def own_item(machine: Machine, base: Value, index: Value) -> Value | None:
    """What stands under a name in a dictionary with a class of its own. Most of these give their items as attributes,
    too: a name that has been set either way is there."""
    if not isinstance(base, Object) or not is_text(index) or not derived(machine, base):
        return None
    name = index.value  # type: ignore[attr-defined]
    return machine.get(base, ("key", name)) or machine.get(base, name)


def item_one(machine: Machine, base: Value, index: Value, mask: int) -> Value:
    from dtlint.machine.library.feeding import data
    from dtlint.machine.library.jax import hosts as jax_hosts
    from dtlint.machine.library.meeting import roots

    if isinstance(base, Unknown) and base.like is not None:
        base = base.like
    if isinstance(base, ClassRef):
        return enumerations.by_name(machine, base, index) or base  # `Stack[Layer]()` is made like `Stack()`
    if isinstance(index, SliceValue):
        bound = next((one for one in (index.upper, index.lower) if isinstance(one, Unknown)), None)
        if bound is not None and listed_parts(base) is not None:  # `self.stages[:depth]`
            machine.emit_event("record", "part-picked", "getitem", mask, subject=base, extra={"index": bound})
        part = jax_hosts.some_keys(machine, base, index) or data.read_item(machine, base, index, mask)
        return part if part is not None else cut(machine, base, index)
    if isinstance(base, Unknown) and is_text(index):
        found = written.read(machine, base, str(index.value))  # type: ignore[attr-defined]
        if found is not None:
            return found
        member = machine.knowledge.members.get(index.value)  # type: ignore[attr-defined]
        if member is not None and member.value == "distributed" and written.keeps(base):  # `options["distributed"]`
            return library.reading.member_value(machine, member, index.value, mask)  # type: ignore[attr-defined]
    handled = library.reading.read_item(machine, base, index, mask)
    if handled is None:
        handled = own_item(machine, base, index)
    if handled is not None:
        return handled
    known = items_of(machine, base) if not (isinstance(base, Object) and base.kind == "dict") else None
    if isinstance(index, Const) and isinstance(index.value, int):
        if known is not None and -len(known) <= index.value < len(known):
            return known[index.value]
        own = of_each_lane(base, index.value, mask) if known is None else None
        if own is not None:
            return own
    layers = named_parts(base)
    if layers is not None and isinstance(index, Const) and ("key", index.value) in layers.attributes:
        return layers.attributes["key", index.value]
    if isinstance(index, Unknown) and (layers is not None or listed_parts(base) is not None):
        machine.emit_event("record", "part-picked", "getitem", mask, subject=base, extra={"index": index})
    if isinstance(base, Object) and base.kind == "dict":
        index = as_key(index)
        if isinstance(index, Const):
            found = base.attributes.get(("key", index.value))
            if found is not None and found is not MISSING:
                return found
        if DEFAULT in base.facts:
            return defaulted(machine, base, index, mask)
        if isinstance(index, Const):
            rest = base.attributes.get("[]")
            if rest is None:
                return machine.unknown("missing key", base.number, repr(index.value)[:40])
            others = others_in(machine, base) if rest.cause is not None else rest
            return opaque(machine, "item", others, index)  # the keys that are known say nothing about this one
        own = by_own_index.one_of(machine, index, dict(entries(base))) if "[]" not in base.attributes else None
        return own or one_of_makers(machine, base, index) or one_of(machine, base, opaque(machine, "item", base, index))
    if columns_in(base):
        return element(machine, base)
    if known is not None:
        if index.cause is None:
            dealt.asked(known, index)
            return roots.chosen_by(machine, index, element(machine, base, index))
        own = by_own_index.one_of(machine, index, dict(enumerate(known)))
        if own is not None:
            return own
        joined = element(machine, base)
        like = joined if isinstance(joined, Object) else getattr(joined, "like", None)
        picked = machine.unknown("item", token(base), token(index), cause=index.cause, like=like)
        return roots.chosen_by(machine, index, picked)
    if isinstance(base, Object) and isinstance(base.kind, str) and base.kind == "torch.Tensor":
        held = base.attributes.get("content")
        from dtlint.machine.library.computing.tensors import is_question

        picks_some = isinstance(index, Unknown) and index.cause is not None and is_question(index.symbol)
        if held is not None and not picks_some:
            return held
        return opaque(machine, "item", *([] if held is None else [held]), index)  # `x[x > 0]`: as many as there are
    if isinstance(base, Unknown) and is_text(index) and base.symbol in machine.facts.get("told", ()):
        return machine.unknown("item", base.symbol, index.value, tags=base.tags)  # type: ignore[attr-defined]
    if isinstance(base, Unknown) and alike_part(base, index):
        kept = frozenset(tag for tag in base.tags if not (type(tag) is tuple and tag[0] == ALIKE))
        return machine.unknown("item", base.symbol, token(index), tags=kept)
    put_before = put_in(base) if isinstance(base, Object) else None
    found = opaque(machine, "item", base, index, *([put_before] if put_before is not None else []))
    if is_text(index) and provenance.is_taken_up(machine, base):
        return provenance.without_own_data(found)
    if isinstance(base, Object) and base.kind == "list":
        held = base.attributes.get("[]")
        if held is not None and OF_EACH in held.tags and index.cause is None:
            return element(machine, base)
        alike = alike_parts(held) if held is not None and index.cause is None else frozenset()
        partial = roots.marks_in(base) if roots.OFF in machine.facts else frozenset()
        tags = found.tags | alike | partial
        return Unknown(found.symbol, found.cause, tags, getattr(held, "like", None) or found.like)
    return found


def put_in(base: Object) -> Value | None:
    """What tells its items from those before something was put into it. That a list is longer on some ranks is not said
    of one of its items."""
    if base.kind != "list":
        return base.attributes.get(WRITTEN)
    several = base.attributes.get("[]")
    return Unknown(several.symbol) if isinstance(several, Unknown) else None


def named_parts(thing: Value) -> Object | None:
    """The dictionary that `nn.ModuleDict({…})` was made of."""
    call = thing.facts.get("call") if isinstance(thing, Object) else None
    if call is None or not call.row.extra.get("container") or len(call.arguments) != 1:
        return None
    given = call.arguments[0]
    return given if is_closed_table(given) else None


LISTED = "parts that were added"  # attribute of a `ModuleList`


def listed_parts(thing: Value) -> Object | None:
    """The list that `nn.ModuleList([…])` was made of, or that was added to it part by part."""
    call = thing.facts.get("call") if isinstance(thing, Object) else None
    if not isinstance(thing, Object) or call is None or len(call.arguments) > 1:
        return None
    if not call.row.extra.get("container"):
        return None
    given = call.arguments[0] if call.arguments else thing.attributes.get(LISTED)
    return given if isinstance(given, Object) and given.kind == "list" else None


def defaulted(machine: Machine, base: Object, index: Value, mask: int) -> Value:
    """An item of a `defaultdict`: asking for it is enough to make it."""
    from dtlint.machine.functions import calls
    from dtlint.machine.names.put_items import put

    held = base.attributes.get("[]")
    if isinstance(index, Const) and held is None:
        made = calls.call_value(machine, base.facts[DEFAULT], (), (), mask)
        if isinstance(made, Object):
            made.birth |= base.birth  # lanes that ask later are given one alike
        put(machine, base, index, made, mask)
        return made
    if own_keys.cause(machine, base, index) is not None and (held is None or UNEVEN not in held.tags):
        made = calls.call_value(machine, base.facts[DEFAULT], (), (), mask)
        like = made if isinstance(made, Object) else None
        put(machine, base, index, machine.unknown("default", base.number, like=like), mask)
    elif held is None:
        base.facts[KEYS] = index
        made = calls.call_value(machine, base.facts[DEFAULT], (), (), mask)
        symbol = machine.symbols.of("values", base.number, token(index))
        like = made if isinstance(made, Object) else None
        machine.set(base, "[]", Unknown(symbol, made.cause, in_order_of(base, index, made.tags), like), mask)
    return looked_up(base, opaque(machine, "item", base, index))


def in_order_of(table: Object, key: Value, tags: frozenset[Any]) -> frozenset[Any]:
    """A dictionary is walked over in the order its keys came."""
    of_key = frozenset(provenance.marks(key, "order", 1)) - tags
    if of_key:
        table.facts[KEY_ORDER] = table.facts.get(KEY_ORDER, frozenset()) | of_key
    return tags | of_key


def named_by_itself(table: Object, key: Value, value: Value) -> None:
    """`paths[stem(path)] = path`: what stands under its own name has a place among the keys, and no other."""
    if isinstance(key, Unknown) and isinstance(value, Unknown) and value.symbol in provenance.symbols_in(key.symbol):
        marks = frozenset(provenance.marks(value, "order", 0))
        if marks:
            table.facts[KEY_ORDER] = table.facts.get(KEY_ORDER, frozenset()) | marks


def one_of(machine: Machine, table: Object, found: Value) -> Value:
    """`PRESETS[name]`: what it may be stays known, where all of it is written down."""
    held = [value for key, value in table.attributes.items() if type(key) is tuple and key[0] == "key"]
    other = table.attributes.get("[]")
    if isinstance(found, Unknown) and isinstance(other, Unknown) and other.like is not None and not held:
        found = Unknown(found.symbol, found.cause, found.tags, other.like)
    written_down = "[]" not in table.attributes and all(isinstance(one, Object | Const) for one in held)
    if isinstance(found, Unknown) and written_down:
        machine.facts.setdefault(PRESETS, {})[found.symbol] = tuple(held)
    return looked_up(table, found)


def looked_up(table: Object, found: Value) -> Value:
    """What stands under a key has nothing of the order of the keys."""
    of_keys = table.facts.get(KEY_ORDER)
    if of_keys and isinstance(found, Unknown):
        return Unknown(found.symbol, found.cause, found.tags - of_keys, found.like)
    return found


def cut(machine: Machine, base: Value, index: SliceValue) -> Value:
    """A slice. One that starts or steps by rank takes a different, maybe shorter, part on each lane."""

    parts = (index.lower, index.upper, index.step)
    whole = part_of_known(machine, base, parts)
    if whole is not None:
        return whole
    differing = next((part for part in parts if part.cause is not None), None)
    if differing is None:
        base = content(base)
    result = opaque(machine, "slice", base, *parts)
    held = base.attributes.get("[]") if isinstance(base, Object) else None
    if isinstance(held, Unknown):  # a part of what the list holds, whichever list that is
        symbol = machine.symbols.of("slice", held.symbol, *(token(part) for part in parts))
        result = Unknown(symbol, result.cause, result.tags)
    if differing is not None:
        from dtlint.machine.library.feeding import sharding

        return sharding.part(machine, base, index, result, differing)
    if UNEVEN in result.tags and index.upper != NONE and index.lower in (NONE, Const(0)):
        # the same number of items is left everywhere
        return Unknown(result.symbol, result.cause, without_lengths(result.tags))
    from dtlint.machine.library.feeding import whole_batches

    rest = whole_batches.cut_by_hand(machine, index)
    if rest is not None:
        result = provenance.marked(result, rest)
    if isinstance(base, Object):
        return provenance.marked(result, *(tag for tag in provenance.marks(base, "order", 1)))
    return result


def part_of_known(machine: Machine, base: Value, parts: tuple[Value, ...]) -> Value | None:
    """A part of a text, a tuple or a list of which every item is known. The sizes of our world are no bounds: those of
    the user's cluster are others."""
    known = items_of(machine, base)
    bounds = [part.value for part in parts if isinstance(part, Const) and not part.scale]
    if isinstance(base, Const) and isinstance(base.value, str | bytes) and len(bounds) == len(parts):
        known = base.value  # type: ignore[assignment]  # a text is sliced as a tuple is
    if known is None or len(bounds) < len(parts):
        return None
    try:
        kept: Any = known[bounds[0] : bounds[1] : bounds[2]]
    except (TypeError, ValueError):
        return None
    if isinstance(base, Const):
        return Const(kept)
    listed = isinstance(base, Object) and base.kind == "list"
    return machine.new_list(tuple(kept), machine.frame.mask) if listed else Tuple(tuple(kept))


def a_key_more(table: Object) -> tuple[Any, ...]:
    return ("keys", table.number, "more")


def others_in(machine: Machine, table: Object) -> Value:
    """What stands under the keys that are not known. That some lanes have one more says nothing of the others."""
    held = table.attributes.get("[]")
    if isinstance(held, Unknown) and has_more(held.symbol):
        return table.attributes.get(OTHERS) or machine.unknown("others", table.number)
    return held or machine.unknown("others", table.number)


def has_more(symbol: Symbol) -> bool:
    """Here, or on one side of a branch."""
    word, *parts = symbol.key
    return (word == "keys" and parts[-1] == "more") or (
        word == "phi" and any(isinstance(part, Symbol) and has_more(part) for part in parts)
    )


def names_rows(index: Value) -> bool:
    """`tensor[first:last]`, `tensor[:, place]`: what is put there is copied; a table keeps what it is given."""
    parts = index.items if isinstance(index, Tuple) else (index,)
    return any(isinstance(part, SliceValue) for part in parts)
