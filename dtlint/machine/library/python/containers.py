"""What do the constructors of Python's containers make of their arguments?"""

from __future__ import annotations

from dtlint.machine import library
from dtlint.machine.contents import containers
from dtlint.machine.contents.opaque import opaque
from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.python.collecting import drawn, through
from dtlint.machine.library.python.generators import is_generator
from dtlint.machine.library.python.iteration import numbers_in
from dtlint.machine.names import put_items, subscripts
from dtlint.machine.values import (
    NONE,
    Const,
    External,
    Object,
    Tuple,
    Value,
)


def deque_(machine: Machine, call: Invocation) -> Value | None:
    """A list for both ends. One of limited length forgets what came first: what it holds is not followed."""
    made = through("list")(machine, call) or machine.new_list((), call.mask)
    if isinstance(made, Object):
        made.facts["builtin"] = "deque"
        if len(call.arguments) > 1 or call.keywords:
            made.attributes["[]"] = machine.fresh("items")
    return made


def tuple_(machine: Machine, call: Invocation) -> Value | None:
    if not call.arguments:
        return Tuple(())
    inner = library.reading.iterated(machine, call.arguments[0], call.mask)
    items = containers.items_of(machine, inner) or numbers_in(inner)
    if items is not None:
        return Tuple(items)
    walked = drawn(machine, "tuple", inner, call.mask) if is_generator(inner) else None
    if walked is not None:
        return walked.attributes["[]"]
    return opaque(machine, call.name, inner) if inner is not call.arguments[0] else None


def from_keys(machine: Machine, call: Invocation) -> Value | None:
    """`dict.fromkeys(names, 0.0)`"""
    items = containers.items_of(machine, call.arguments[0]) if call.arguments else None
    if items is None or not all(isinstance(item, Const) for item in items):
        return None
    made = machine.new("dict", call.mask)
    for item in items:
        put_items.put(machine, made, item, call.arguments[1] if len(call.arguments) > 1 else NONE, call.mask)
    return made


def dict_(machine: Machine, call: Invocation) -> Value | None:
    made = machine.new("dict", call.mask)
    if call.arguments:
        put_items.merge(machine, made, call.arguments[0], call.mask)
    for name, value in call.keywords:
        if name is not None:
            put_items.put(machine, made, Const(name), value, call.mask)
        else:
            put_items.merge(machine, made, value, call.mask)
    return made


def chain_map(machine: Machine, call: Invocation) -> Value | None:
    """`ChainMap(given, defaults)`: the first that has a key says what stands there."""
    made = machine.new("dict", call.mask)
    for table in reversed(call.arguments):
        put_items.merge(machine, made, table, call.mask)
    return made


def default_dict(machine: Machine, call: Invocation) -> Value | None:
    made = machine.new("dict", call.mask)
    if call.arguments and call.arguments[0] != NONE:
        made.facts[subscripts.DEFAULT] = call.arguments[0]
    for value in call.arguments[1:2]:
        put_items.merge(machine, made, value, call.mask)
    return made


def counter(machine: Machine, call: Invocation) -> Value | None:
    """A dictionary of numbers; what it was not asked to count, it has counted 0 times."""
    made = machine.new("dict", call.mask)
    made.facts.update({subscripts.DEFAULT: External("builtins.int"), "builtin": "Counter"})
    for value in call.arguments[:1]:
        put_items.counted(machine, made, value, call.mask)
    return made
