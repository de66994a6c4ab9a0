"""What comes out of something that is not computed? A value of which only is known what it was made of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.twins import DEVICES
from dtlint.machine.values import BY_SHARE, Cause, Object, Row, SliceValue, Symbol, Tuple, Unknown, Value, telling


def first_cause(*values: Value) -> Cause | None:
    return telling(value.cause for value in values)


def all_tags(*values: Value) -> frozenset[Any]:
    tags: frozenset[Any] = frozenset()
    for value in values:
        if value.tags:
            tags |= value.tags
    return tags


OF_PYTHON = "builtins."  # `range(first, last)` is nothing but its bounds
HOLDERS = frozenset({"list", "dict", "torch.distributions.Distribution"})


COMPUTED = frozenset({"wrapped", "inner", "plain", "asked"})  # tags of what models compute
OF_MODELS = COMPUTED | {"gradient", "part of a gradient", "gathered"}
TRAVELS = OF_MODELS | {"loader", "pick", "picked", "ordered", "kept", "told to one"}


def inner_tags(values: tuple[Value, ...], depth: int = 2) -> frozenset[Any]:
    """From which loader's batches, and by which wrapped models, was computed what lists and distributions hold?"""
    tags: frozenset[Any] = frozenset()
    for value in values:
        if type(value) is Object and value.kind in HOLDERS and depth:
            tags |= inner_tags(tuple(value.attributes.values())[:8], depth - 1)
        elif type(value) is Tuple:
            tags |= inner_tags(value.items[:8], depth)
        elif type(value) is Row and depth < 2:
            tags |= inner_tags(value.lanes, depth)  # of a list that some lanes alone have added to
        elif depth < 2 and value.tags:
            tags |= {tag for tag in value.tags if type(tag) is tuple and tag[0] in TRAVELS}
    return tags


# what cannot fail with numbers; a text says anything, and so does the error that is made of it
SAFE = frozenset(
    {"op +", "op -", "op *", "and", "text"}
    | {f"compare {word}" for word in ("==", "<", "<=", ">", ">=")}
    | {f"builtins.{word}" for word in ("Exception", "RuntimeError", "ValueError")}
)


# tag: the name of a file or folder that each process makes for itself. It differs, but what stands there does not.
TEMPORARY = "temporary"
NAMING = ("os.path.", "pathlib.", "builtins.")  # of names these make names


def is_temporary(value: Value) -> bool:
    return isinstance(value, Unknown) and TEMPORARY in value.tags


def reads_by_name(what: str, values: tuple[Value, ...]) -> bool:
    """`load(name)`, but not `name.replace(…)` nor `os.path.join(name, …)`"""
    if what == "call":
        return bool(values) and not is_temporary(values[0])
    return "." in what and not what.startswith(NAMING)


def wherever(machine: Machine, keywords: tuple[tuple[str | None, Value], ...]) -> tuple[Value, ...]:
    """What is handed over by name; on which device something is put, each rank says for itself, and it is the same
    thing."""
    return tuple(
        machine.unknown("device", token(value)) if name in DEVICES and value.cause is not None else value
        for name, value in keywords
    )


def opaque(machine: Machine, what: str, *values: Value) -> Unknown:
    """The result of something that is not computed: it differs where an input differs."""
    tags = all_tags(*values) | inner_tags(values)
    if TEMPORARY in tags and reads_by_name(what, values):
        values = tuple(Unknown(one.symbol) if type(one) is Unknown and TEMPORARY in one.tags else one for one in values)
        tags -= {TEMPORARY}
    if tags and "running" in machine.facts:
        from dtlint.machine.library.meeting import works

        works.computed(machine, what, values, tags)
        tags = works.left(what, values, tags)
    if tags and "." in what and not machine.knowledge.describes(what):  # it may have sorted them
        tags = frozenset(tag for tag in tags if not (type(tag) is tuple and tag[0] == "order"))
    if machine.flow is not None:
        tags = machine.flow(machine, what, values, tags)
    cause = deep_cause(machine, values)
    if cause is not None:
        if cause.kind == "data" or what not in SAFE:
            machine.differences[cause.kind] += 1
            if cause.kind in BY_SHARE and any(map(of_own_part, values)):
                machine.differences["data"] += 1
    made = machine.unknown(what, *(token(value) for value in values), cause=cause, tags=tags)
    made.symbol.alike = cause is None and made.symbol.alike is not False
    if (
        cause is not None
        and cause.kind == "data"
        and any(type(one) is Object and "opened" in one.facts for one in values)
    ):
        from dtlint.machine.library.computing import provenance

        machine.facts.setdefault(provenance.OWN_TABLES, set()).add(made.symbol)
    return made


def of_own_part(value: Value) -> bool:
    """`for line in lines[first:last]`: one of those that this rank has cut out of what all of them have read."""
    if not isinstance(value, Unknown) or value.cause is None:
        return False
    what, *rest = value.symbol.key
    return what == "item" and isinstance(rest[0], Symbol) and rest[0].key[0] == "slice"


def of_run(handle: Object, place: Value) -> bool:
    """An open file below a folder that is named by the time: whoever finds it there reads the same in it."""
    return "opened" in handle.facts and place.cause is not None and place.cause.kind == "clock"


def kept_in(machine: Machine, thing: Object) -> Iterator[Value]:
    """What a container holds, and what is known to be in an instance of a library's class. Settings of a class that
    nobody has described may have a rank among them, of which what is made with them need not take any notice."""
    kind = str(thing.kind)
    described = "." not in kind or kind.startswith(OF_PYTHON) or kind in machine.knowledge.types
    for name, value in thing.attributes.items():
        if described or not isinstance(name, str) or name.startswith("["):
            yield value


def deep_cause(machine: Machine, values: tuple[Value, ...], depth: int = 0) -> Cause | None:
    """Why one of these values, or something it holds, differs between lanes."""
    return telling(cause_within(machine, value, depth) for value in values)


def cause_within(machine: Machine, value: Value, depth: int) -> Cause | None:
    if value.cause is not None or depth >= 2:
        return value.cause
    if isinstance(value, Tuple):
        return deep_cause(machine, value.items, depth + 1)
    if isinstance(value, SliceValue):  # `table[:, first:last]`
        return deep_cause(machine, (value.lower, value.upper, value.step), depth + 1)
    if not isinstance(value, Object) or not isinstance(value.kind, str):
        return None
    said = value.facts.get("text")  # of a path
    if not isinstance(said, Value) or is_temporary(said) or of_run(value, said):
        return deep_cause(machine, tuple(kept_in(machine, value)), depth + 1)
    return deep_cause(machine, (*kept_in(machine, value), said), depth + 1)
