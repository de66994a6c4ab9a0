"""What do the methods of lists, dicts, sets and texts do?"""

from __future__ import annotations

from dataclasses import replace

from dtlint.ir import nodes as ir
from dtlint.machine.contents import containers, dictionaries, filled_by, keys_of_some, presets, sets
from dtlint.machine.contents.opaque import opaque as unknown_of
from dtlint.machine.contents.operators import comparison
from dtlint.machine.contents.truth import spelled
from dtlint.machine.core import Machine
from dtlint.machine.lanes import map_lanes, token
from dtlint.machine.library.feeding import filled_shares, totals
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.python import in_order, plainly, templates
from dtlint.machine.names import assignment, put_items, subscripts
from dtlint.machine.values import FILLED, NONE, Const, Object, Row, Tuple, Unknown, Value

BY_ITS_SIGN = {"__setitem__": 2, "__getitem__": 1, "__contains__": 1}  # with how many things each is called
VIEWS = ("items", "values", "keys")


def container_of(receiver: Object, name: str) -> Object | None:
    """Itself, or the table of layers that a `ModuleDict` was made of."""
    if receiver.kind in ("list", "dict", "set"):
        return receiver
    return subscripts.named_parts(receiver) if name in VIEWS else None


def extended(machine: Machine, receiver: Value, name: str, call: Invocation) -> Value | None:
    """`order.extend(order[: -len(order) % world])`, where a library gave the list: it is known by its variable only."""
    if name != "extend" or not isinstance(receiver, Unknown) or len(call.arguments) != 1 or call.node is None:
        return None
    added, named = call.arguments[0], call.node.func
    holder = named.value if isinstance(named, ir.Attr) else None
    if not isinstance(holder, ir.Name | ir.Attr):
        return None
    made = filled_shares.filled(machine, receiver, added)
    if made is None and totals.fills_up(machine, added):
        made = totals.filled_up(machine, receiver, added)
    if made is None:
        return None
    assignment.assign_target(machine, holder, made, call.mask)
    return NONE


def container_method(machine: Machine, receiver: Object, name: str, call: Invocation) -> Value | None:
    arguments = call.arguments
    if name in BY_ITS_SIGN and len(arguments) == BY_ITS_SIGN[name]:
        return by_its_sign(machine, receiver, name, call)
    if receiver.kind == "list":
        exact = in_order.listed(machine, receiver, name, call)
        if exact is not None:
            return exact
    if name in ("append", "add", "appendleft"):
        if arguments:
            several = sets.repeated(arguments[0]) if sets.is_set(receiver) else None
            containers.append(machine, receiver, arguments[0], call.mask, uneven=several)
        return NONE
    if name == "extend" and arguments:
        containers.extend(machine, receiver, arguments[0], call.mask)
        return NONE
    if sets.is_set(receiver) and name in sets.METHODS and len(arguments) == 1:
        return sets.combined(machine, sets.METHODS[name], receiver, arguments[0])
    if sets.is_set(receiver) and name == "update":
        for value in arguments:
            containers.extend(machine, receiver, value, call.mask)
        return NONE
    if name in (*VIEWS, "most_common") and receiver.kind == "dict":
        return dict_view(machine, receiver, name if name != "most_common" else "items", call)
    if name in ("get", "pop", "setdefault") and receiver.kind == "dict" and arguments:
        key_ = dictionaries.key_for(receiver, arguments[0])
        if isinstance(key_, Const):
            found = machine.get(receiver, ("key", key_.value))
            if found is not None:
                otherwise = arguments[1] if len(arguments) > 1 else NONE
                if name == "get":
                    return keys_of_some.found(machine, receiver, key_.value, found, otherwise)
                if name == "setdefault":
                    lacks = call.mask & ~(keys_of_some.lanes_with(machine, receiver, key_.value) or call.mask)
                    if lacks:
                        put_items.put(machine, receiver, key_, otherwise, lacks)
                if name == "pop":
                    dictionaries.take_out(machine, receiver, key_, call.mask)
                return found
            if "[]" not in receiver.attributes:
                default = arguments[1] if len(arguments) > 1 else NONE
                if name == "setdefault":
                    put_items.put(machine, receiver, key_, default, call.mask)
                return default
        elif name == "get" and isinstance(key_, Row) and "[]" not in receiver.attributes:
            return map_lanes(lambda key: looked_up(machine, receiver, key, call), (key_,), machine.world)
        elif name == "setdefault":
            put_items.put(machine, receiver, key_, arguments[1] if len(arguments) > 1 else NONE, call.mask)
        return subscripts.item(machine, receiver, key_, call.mask)
    if name == "update" and receiver.kind == "dict":
        for value in arguments:
            if "builtin" in receiver.facts:
                put_items.counted(machine, receiver, value, call.mask)
            else:
                put_items.merge(machine, receiver, value, call.mask)
        for keyword, value in call.keywords:
            if keyword is not None:
                put_items.put(machine, receiver, Const(keyword), value, call.mask)
        return NONE
    if name in ("clear",):
        # who puts something into it from here on, nobody looks
        filled_by.handed_over(machine, (receiver,), machine.world.full)
        for held in [key_ for key_ in receiver.attributes if isinstance(key_, tuple)]:
            if receiver.kind == "dict" and held[0] == "key" and not receiver.birth & ~call.mask:
                dictionaries.take_out(machine, receiver, Const(held[1]), call.mask)
            else:
                machine.set(receiver, held, machine.fresh("cleared"), call.mask)
        if receiver.kind != "dict":
            machine.set(receiver, "[]", Tuple(()), call.mask)
            if FILLED in receiver.attributes:
                machine.set(receiver, FILLED, NONE, call.mask)
        return NONE
    if name == "copy":
        return machine.anew(receiver, call.mask)
    if name in ("pop", "popleft") and receiver.kind == "list":
        known = containers.items_of(machine, receiver)
        value = containers.element(machine, receiver)
        if known:
            machine.set(receiver, "[]", machine.fresh("popped"), call.mask)
        else:
            take_one_out(machine, receiver, call.mask)
        return value
    if name in ("sort", "reverse", "remove", "discard", "insert"):
        held_items = receiver.attributes.get("[]")
        if name == "insert" and len(arguments) > 1:
            containers.append(machine, receiver, arguments[1], call.mask)
        elif name == "sort":
            from dtlint.machine.library.computing import provenance
            from dtlint.machine.library.python import own_order

            ranked = own_order.ranked(machine, call, receiver)
            if ranked is None and isinstance(held_items, Tuple):
                ordered = in_order.arranged(machine, call, held_items.items)
                machine.set(receiver, "[]", Tuple(ordered) if ordered is not None else held_items, call.mask)
            if ranked is not None or isinstance(held_items, Unknown):
                machine.set(receiver, "[]", ranked or provenance.without(held_items or NONE, "order"), call.mask)
        elif name == "reverse" and isinstance(held_items, Tuple):
            machine.set(receiver, "[]", Tuple(held_items.items[::-1]), call.mask)
        elif name in ("remove", "discard") and held_items is not None:
            machine.set(
                receiver, "[]", machine.unknown("removed", token(held_items), cause=held_items.cause), call.mask
            )
        return NONE
    return None


def by_its_sign(machine: Machine, receiver: Object, name: str, call: Invocation) -> Value:
    """`seen.__setitem__`, handed over as a function."""
    if name == "__setitem__":
        put_items.put(machine, receiver, call.arguments[0], call.arguments[1], call.mask)
        return NONE
    if name == "__getitem__":
        return subscripts.item(machine, receiver, call.arguments[0], call.mask)
    return comparison(machine, "in", call.arguments[0], receiver, call.mask)


def looked_up(machine: Machine, table: Object, key: Value, call: Invocation) -> Value:
    """`table.get(key)` of one lane's key."""
    own = replace(call, arguments=(key, *call.arguments[1:]))
    return container_method(machine, table, "get", own) or subscripts.item(machine, table, key, call.mask)


def take_one_out(machine: Machine, several: Object, mask: int) -> None:
    """`while stack: stack.pop()`: the next one that is taken is another one, and another one stands at each place."""
    held = several.attributes.get("[]")
    if isinstance(held, Unknown):
        rest = machine.symbols.of("popped", held.symbol, machine.fresh("popped").symbol)
        machine.set(several, "[]", Unknown(rest, held.cause, held.tags, held.like), mask)


def dict_view(machine: Machine, receiver: Object, name: str, call: Invocation) -> Value:
    of_lanes = keys_of_some.by_lane(machine, receiver, lambda key, held: in_view(name, key, held))
    if of_lanes is not None:
        return of_lanes
    if "[]" in receiver.attributes:
        held = receiver.attributes["[]"]
        made = machine.new("list", call.mask)
        made.filled = receiver.filled  # one for each
        key = containers.any_key(machine, receiver)
        if name != "values":
            made.facts[presets.VIEW] = (receiver, name)
        if name == "keys":
            made.attributes["[]"] = key
            return made
        keyed = () if name == "values" else (key.symbol,)
        symbol = machine.symbols.of(name, receiver.number, token(held), *keyed)
        like = getattr(held, "like", None)
        if name == "items":
            tags = held.tags - {containers.UNEVEN}
            like = Tuple((key, machine.unknown("item", token(held), cause=held.cause, tags=tags, like=like)))
        made.attributes["[]"] = Unknown(symbol, held.cause, held.tags, like)
        return made
    return Tuple(tuple(in_view(name, key, value) for key, value in dictionaries.entries(receiver)))


def in_view(name: str, key: object, held: Value) -> Value:
    shown = dictionaries.of_key(key)
    return shown if name == "keys" else held if name == "values" else Tuple((shown, held))


def view_of_numbers(machine: Machine, receiver: Value, name: str, call: Invocation) -> Value | None:
    """`output.items()`, made of this rank's data: the numbers are its own, what they are called is not."""
    if name not in ("items", "keys") or not isinstance(receiver, Unknown) or call.values:
        return None
    if receiver.cause is None or receiver.cause.kind != "data":
        return None
    made = machine.new("list", call.mask)
    key: Value = machine.unknown("keys", token(receiver))
    if name == "items":
        held = machine.unknown("item", token(receiver), cause=receiver.cause, tags=receiver.tags)
        key = Unknown(machine.symbols.of("items", token(receiver)), receiver.cause, receiver.tags, Tuple((key, held)))
    made.attributes["[]"] = key
    return made


def text_method(machine: Machine, receiver: Value, name: str, call: Invocation) -> Value | None:
    """Methods of texts, numbers and tuples that are known, lane by lane."""
    found = plainly.method(machine, receiver, name, call)
    if found is not None or not isinstance(receiver, Const) or not isinstance(receiver.value, str):
        return found
    if name in ("join", "format_map", "maketrans"):
        return None
    if name == "format":
        made = templates.formatted(machine, receiver.value, call)
        if made is not None:
            return made
    if call.keywords:
        return None
    return map_lanes(
        lambda *values: spelled(unknown_of(machine, f"str.{name}", receiver, *values)), call.arguments, machine.world
    )
