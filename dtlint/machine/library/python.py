"""Builtins, containers and the bits of the standard library whose results matter to control flow."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from dtlint.machine import containers
from dtlint.machine.core import Machine
from dtlint.machine.lanes import map_lanes, token
from dtlint.machine.library import environment_use, files, iterators
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.values import (
    FALSE,
    NONE,
    TRUE,
    Bound,
    ClassRef,
    Const,
    External,
    FunctionRef,
    Object,
    Row,
    Tuple,
    Unknown,
    Value,
)

Handler = Callable[[Machine, Invocation], Value | None]


def opaque(machine: Machine, call: Invocation) -> Value:
    from dtlint.machine.expressions import opaque as unknown_of

    receiver = (call.receiver,) if call.receiver is not None else ()
    made = unknown_of(machine, call.name, *receiver, *call.values)
    if machine.flow is not None:
        from dtlint.machine.library import jax_arrays

        return jax_arrays.with_shape(machine, call, made)
    return made


def pure(function: Callable[..., Any]) -> Handler:
    """Apply a Python function lane by lane where every argument is a constant."""

    def handler(machine: Machine, call: Invocation) -> Value | None:
        if call.keywords or not call.arguments:
            return None

        def one(*values: Value) -> Value:
            if all(isinstance(value, Const) for value in values):
                try:
                    made = function(*(value.value for value in values))  # type: ignore[attr-defined]
                    scale = next((value.scale for value in values if value.scale), None)  # type: ignore[attr-defined]
                    return Const(made, scale if isinstance(made, int | float) else None)
                except Exception:
                    pass
            from dtlint.machine.expressions import content
            from dtlint.machine.expressions import opaque as unknown_of

            return unknown_of(machine, call.name, *(content(value) for value in values))

        return map_lanes(one, call.arguments, machine.world)

    return handler


def ceil(machine: Machine, call: Invocation) -> Value | None:
    """A share rounded up leaves less for the last rank; where it was rounded stays known."""
    made = pure(math.ceil)(machine, call)
    sites = machine.facts.setdefault("ceilings", [])
    if len(sites) < 32:
        sites.append((machine.frame.path, machine.current_at, machine.frame.scope))
    return made


def length(machine: Machine, call: Invocation) -> Value | None:
    from dtlint.machine import library

    if not call.arguments:
        return None
    value = call.arguments[0]
    known = library.length(machine, value, call.mask)
    if known is not None:
        return known
    cause = containers.length_cause(machine, value)
    if cause is None and isinstance(value, Unknown) and value.cause is not None and value.cause.kind == "length":
        cause = value.cause
    return machine.unknown("len", token(value), cause=cause)


def range_(machine: Machine, call: Invocation) -> Value | None:
    bounds = call.arguments
    start: Value = Const(0)
    step: Value = Const(1)
    if not bounds:
        return None
    stop = bounds[0]
    if len(bounds) >= 2:
        start, stop = bounds[0], bounds[1]
    if len(bounds) == 3:
        step = bounds[2]
    made = machine.new("builtins.range", call.mask)
    made.attributes.update(start=start, stop=stop, step=step)

    def count(*parts: Value) -> Value:
        if all(isinstance(part, Const) and isinstance(part.value, int) for part in parts):
            first, last, by = (part.value for part in parts)  # type: ignore[attr-defined]
            scale = next((part.scale for part in parts if part.scale), None)  # type: ignore[attr-defined]
            return Const(len(range(first, last, by)) if by else 0, scale)
        from dtlint.machine.expressions import opaque as unknown_of

        return unknown_of(machine, "count", *parts)

    made.attributes["count"] = map_lanes(count, (start, stop, step), machine.world)
    return made


def isinstance_(machine: Machine, call: Invocation) -> Value | None:
    from dtlint.machine import attributes

    if len(call.arguments) != 2:
        return None
    value, kinds = call.arguments
    options = containers.items_of(machine, kinds) or (kinds,)
    if isinstance(value, Object):
        for option in options:
            if isinstance(option, ClassRef) and isinstance(value.kind, ClassRef):
                if option in attributes.linearise(machine, value.kind):
                    return TRUE
            elif isinstance(option, External) and attributes.is_a(machine, value, option.name):
                return TRUE
        if isinstance(value.kind, str) and value.kind in ("list", "dict", "set"):
            names = {option.name for option in options if isinstance(option, External)}
            return TRUE if f"builtins.{value.kind}" in names else FALSE
    if isinstance(value, Const) and value.value is not None:
        names = {option.name for option in options if isinstance(option, External)}
        if names:
            return TRUE if f"builtins.{type(value.value).__name__}" in names else FALSE
    return machine.unknown(
        "isinstance", token(value), token(kinds), cause=value.cause if isinstance(value, Row) else None
    )


def getattr_(machine: Machine, call: Invocation) -> Value | None:
    from dtlint.machine import attributes

    if len(call.arguments) >= 2 and isinstance(call.arguments[1], Const) and isinstance(call.arguments[1].value, str):
        base, name = call.arguments[0], call.arguments[1].value
        if isinstance(base, Object) and isinstance(base.kind, ClassRef) and len(call.arguments) == 3:
            if machine.get(base, name) is None and attributes.in_class(machine, base.kind, name) is None:
                if not attributes.external_bases(machine, base.kind):
                    return call.arguments[2]
        return attributes.read(machine, base, name, call.mask)
    return None


def hasattr_(machine: Machine, call: Invocation) -> Value | None:
    from dtlint.machine import attributes

    if len(call.arguments) == 2 and isinstance(call.arguments[1], Const):
        base, name = call.arguments[0], str(call.arguments[1].value)
        if isinstance(base, Object):
            if machine.get(base, name) is not None:
                return TRUE
            if isinstance(base.kind, ClassRef):
                if attributes.in_class(machine, base.kind, name) is not None:
                    return TRUE
                if not attributes.external_bases(machine, base.kind):
                    return FALSE
    return machine.unknown("hasattr", *(token(value) for value in call.arguments))


def setattr_(machine: Machine, call: Invocation) -> Value | None:
    from dtlint.machine.assignment import write_attribute

    if len(call.arguments) == 3 and isinstance(call.arguments[1], Const):
        write_attribute(machine, call.arguments[0], str(call.arguments[1].value), call.arguments[2], call.mask)
    return NONE


def enumerate_(machine: Machine, call: Invocation) -> Value | None:
    if not call.arguments:
        return None
    inner = call.arguments[0]
    items = containers.items_of(machine, inner)
    if items is not None:
        start = call.arguments[1] if len(call.arguments) > 1 else Const(0)
        begin = start.value if isinstance(start, Const) and isinstance(start.value, int) else 0
        return Tuple(tuple(Tuple((Const(begin + index), item)) for index, item in enumerate(items)))
    return wrapped(machine, call, "enumerate", inner)


def wrapped(machine: Machine, call: Invocation, kind: str, *inner: Value) -> Object:
    """An iterator over other iterables: its length is theirs, its items are made of theirs."""
    made = machine.new(f"<{kind}>", call.mask)
    made.facts["inner"] = inner
    return made


def zip_(machine: Machine, call: Invocation) -> Value | None:
    lists = [containers.items_of(machine, value) for value in call.arguments]
    if lists and all(items is not None for items in lists):
        return Tuple(tuple(Tuple(tuple(group)) for group in zip(*(items or () for items in lists), strict=False)))
    return wrapped(machine, call, "zip", *call.arguments)


def through(kind: str) -> Handler:
    def handler(machine: Machine, call: Invocation) -> Value | None:
        if not call.arguments:
            return machine.new_list((), call.mask) if kind in ("list", "sorted") else None
        inner = call.arguments[0]
        items = containers.items_of(machine, inner)
        if items is None and isinstance(inner, Object) and inner.kind == "builtins.range":
            from dtlint.machine.library.groups import range_items

            known = range_items(inner)
            items = tuple(known) if known is not None else None
        if items is not None:
            if kind == "sorted":
                if not all(isinstance(item, Const) for item in items):
                    return machine.new_list(None, call.mask)
                try:
                    ordered = sorted(items, key=lambda item: item.value)  # type: ignore[attr-defined]
                except TypeError:
                    ordered = list(items)
                return machine.new_list(tuple(ordered), call.mask)
            return machine.new_list(tuple(items), call.mask, "set" if kind == "set" else "list")
        if isinstance(inner, Object) and inner.kind == "<generator>":
            from dtlint.machine import calls

            calls.resume(machine, inner, call.mask, lambda value, lanes: None)
        made = machine.new("set" if kind == "set" else "list", call.mask)
        tags = order_tags(machine, kind, inner) | (
            {containers.UNEVEN} if containers.length_cause(machine, inner) else frozenset()
        )
        element = containers.element(machine, inner)
        made.attributes["[]"] = Unknown(
            machine.symbols.of(kind, token(inner)), inner.cause or element.cause, tags, getattr(element, "like", None)
        )
        return made

    return handler


CONSUMERS = frozenset(
    f"builtins.{name}" for name in ("dict", "tuple", "sum", "min", "max", "any", "all", "bytes", "bytearray")
)


def consume(machine: Machine, call: Invocation) -> None:
    """`dict(pairs())` runs the generator to its end."""
    from dtlint.machine import calls

    for inner in call.arguments[:1]:
        if isinstance(inner, Object) and inner.kind == "<generator>":
            calls.resume(machine, inner, call.mask, lambda value, lanes: None)


def order_tags(machine: Machine, kind: str, inner: Value) -> frozenset[Any]:
    """Sorting makes an order everybody shares; taking texts out of a set makes one that nobody shares."""
    held = inner.attributes.get("[]") if isinstance(inner, Object) else inner
    tags = held.tags if held is not None else frozenset()
    if kind == "sorted":
        return frozenset(tag for tag in tags if not (isinstance(tag, tuple) and tag[0] == "order"))
    if kind == "list" and isinstance(inner, Object) and inner.kind == "set" and isinstance(held, Unknown):
        from dtlint.machine.library import provenance, sharding

        if provenance.mentions(held, lambda symbol: symbol.key[0] == "text"):
            return tags | {(*sharding.remember(machine, "order"), "set", "process")}
    return tags


def tuple_(machine: Machine, call: Invocation) -> Value | None:
    if not call.arguments:
        return Tuple(())
    items = containers.items_of(machine, call.arguments[0])
    return Tuple(items) if items is not None else None


def dict_(machine: Machine, call: Invocation) -> Value | None:
    made = machine.new("dict", call.mask)
    if call.arguments:
        containers.merge(machine, made, call.arguments[0], call.mask)
    for name, value in call.keywords:
        if name is not None:
            containers.put(machine, made, Const(name), value, call.mask)
    return made


def default_dict(machine: Machine, call: Invocation) -> Value | None:
    made = machine.new("dict", call.mask)
    if call.arguments and call.arguments[0] != NONE:
        made.facts[containers.DEFAULT] = call.arguments[0]
    for value in call.arguments[1:2]:
        containers.merge(machine, made, value, call.mask)
    return made


def iter_(machine: Machine, call: Invocation) -> Value | None:
    return call.arguments[0] if call.arguments else None


def any_all(wanted: bool) -> Handler:
    def handler(machine: Machine, call: Invocation) -> Value | None:
        from dtlint.machine.expressions import combine

        items = containers.items_of(machine, call.arguments[0]) if call.arguments else None
        if items is None:
            return None
        result: Value = FALSE if wanted else TRUE
        for item in items:
            result = combine(machine, "or" if wanted else "and", result, item)
        return result

    return handler


def bool_(machine: Machine, call: Invocation) -> Value | None:
    from dtlint.machine.expressions import truth_of
    from dtlint.machine.library import uncalled

    if not call.arguments:
        return FALSE
    uncalled.made_boolean(machine, call.node, call.arguments[0])

    def one(value: Value) -> Value:
        known, symbol, cause = truth_of(machine, value)
        if known is not None:
            return TRUE if known else FALSE
        return machine.unknown("bool", symbol, cause=cause, tags=value.tags)

    return map_lanes(one, (call.arguments[0],), machine.world)


def partial(machine: Machine, call: Invocation) -> Value | None:
    if not call.arguments:
        return None
    function = call.arguments[0]
    keywords = tuple((name, value) for name, value in call.keywords if name is not None)
    return Bound(function, None, call.arguments[1:], keywords)


def wraps(machine: Machine, call: Invocation) -> Value | None:
    return External("dtlint.identity")


def identity(machine: Machine, call: Invocation) -> Value | None:
    return call.arguments[0] if call.arguments else None


def field(machine: Machine, call: Invocation) -> Value | None:
    for name, value in call.keywords:
        if name == "default":
            return value
        if name == "default_factory":
            made = machine.new("dataclasses.Field", call.mask)
            made.facts["default_factory"] = value
            return made
    return machine.unknown("field", id(call.node))


def environment(machine: Machine, call: Invocation) -> Value | None:
    name = call.arguments[0] if call.arguments else None
    default = call.arguments[1] if len(call.arguments) > 1 else None
    return read_environment(machine, name, default)


def read_environment(machine: Machine, name: Value | None, default: Value | None) -> Value:
    from dtlint.machine.library.identity import lane_value_of

    environment_use.read(machine, name)
    if isinstance(name, Const) and isinstance(name.value, str):
        row = machine.knowledge.environment.get(name.value)
        if row is not None:
            if row.does == "source":
                return machine.unknown(
                    "environment", name.value, cause=machine.cause(row.cause, f"`{name.value}` differs by {row.cause}")
                )
            value = lane_value_of(machine, row.value, f'os.environ["{name.value}"]')

            def as_text(held: Value) -> Value:
                return Const(str(held.value), held.scale) if isinstance(held, Const) else held

            return map_lanes(as_text, (value,), machine.world)
        return machine.unknown("environment", name.value)
    return machine.unknown("environment", token(name) if name else "")


def print_(machine: Machine, call: Invocation) -> Value | None:
    from dtlint.machine.library import metrics

    metrics.shown(machine, call)
    return NONE


def nullcontext(machine: Machine, call: Invocation) -> Value | None:
    made = machine.new("contextlib.nullcontext", call.mask)
    made.facts["context"] = "nothing"
    return made


def suppress(machine: Machine, call: Invocation) -> Value | None:
    from dtlint.machine.attempts import exception_names

    made = machine.new("contextlib.suppress", call.mask)
    made.facts["context"] = "suppress"
    made.facts["types"] = tuple(name for value in call.arguments for name in exception_names(value))
    return made


def map_(machine: Machine, call: Invocation) -> Value | None:
    from dtlint.machine import calls

    if len(call.arguments) < 2:
        return None
    function, inner = call.arguments[0], call.arguments[1]
    items = containers.items_of(machine, inner)
    if items is not None and len(items) <= 8 and len(call.arguments) == 2:
        results = tuple(calls.call_value(machine, function, (item,), (), call.mask) for item in items)
        return machine.new_list(results, call.mask)
    element = calls.call_value(machine, function, (containers.element(machine, inner),), (), call.mask)
    made = machine.new("list", call.mask)
    made.attributes["[]"] = machine.unknown(
        "mapped", token(inner), token(element), cause=element.cause or inner.cause, tags=inner.tags | element.tags
    )
    return made


FUNCTIONS: dict[str, Handler] = {
    "builtins.int": pure(int),
    "builtins.float": pure(float),
    "builtins.str": lambda machine, call: files.to_text(machine, call) or pure(str)(machine, call),
    "builtins.abs": pure(abs),
    "builtins.min": pure(min),
    "builtins.max": pure(max),
    "builtins.round": pure(round),
    "builtins.divmod": pure(divmod),
    "math.ceil": ceil,
    "math.floor": pure(math.floor),
    "builtins.bool": bool_,
    "builtins.len": length,
    "builtins.range": range_,
    "builtins.isinstance": isinstance_,
    "builtins.getattr": getattr_,
    "builtins.hasattr": hasattr_,
    "builtins.setattr": setattr_,
    "builtins.enumerate": enumerate_,
    "builtins.zip": zip_,
    "builtins.list": through("list"),
    "builtins.sorted": through("sorted"),
    "builtins.set": through("set"),
    "builtins.frozenset": through("set"),
    "builtins.reversed": through("list"),
    "builtins.tuple": tuple_,
    "builtins.dict": dict_,
    "collections.OrderedDict": dict_,
    "collections.defaultdict": default_dict,
    "builtins.next": iterators.asked,
    "builtins.iter": iter_,
    "builtins.any": any_all(True),
    "builtins.all": any_all(False),
    "builtins.print": print_,
    "builtins.map": map_,
    "functools.partial": partial,
    "functools.partialmethod": partial,
    "functools.wraps": wraps,
    "dtlint.identity": identity,
    "dataclasses.field": field,
    "os.getenv": environment,
    "os.environ.get": environment,
    "contextlib.nullcontext": nullcontext,
    "contextlib.suppress": suppress,
    "atexit.register": lambda machine, call: processes_at_exit(machine, call),
    "copy.copy": identity,
    "copy.deepcopy": identity,
    "typing.cast": lambda machine, call: call.arguments[1] if len(call.arguments) > 1 else None,
}


def processes_at_exit(machine: Machine, call: Invocation) -> Value | None:
    from dtlint.machine.library import processes

    return processes.at_exit(machine, call)


def progress(machine: Machine, call: Invocation) -> Value | None:
    """`tqdm(loader, …)` iterates over what it wraps."""
    if call.arguments:
        return call.arguments[0]
    return next((value for name, value in call.keywords if name == "iterable"), None)


MODELS = {"progress_bar": progress, "progress_range": range_}


# --- methods of containers and strings -------------------------------------------------------------------------


def container_method(machine: Machine, receiver: Object, name: str, call: Invocation) -> Value | None:
    arguments = call.arguments
    if name in ("append", "add", "appendleft"):
        if arguments:
            containers.append(machine, receiver, arguments[0], call.mask)
        return NONE
    if name == "extend" and arguments:
        items = containers.items_of(machine, arguments[0])
        for item in items if items is not None else (containers.element(machine, arguments[0]),):
            containers.append(machine, receiver, item, call.mask)
        return NONE
    if name in ("items", "values", "keys") and receiver.kind == "dict":
        return dict_view(machine, receiver, name, call)
    if name in ("get", "pop", "setdefault") and receiver.kind == "dict" and arguments:
        key_ = arguments[0]
        if isinstance(key_, Const):
            found = receiver.attributes.get(("key", key_.value))
            if found is not None:
                return found
            if "[]" not in receiver.attributes:
                default = arguments[1] if len(arguments) > 1 else NONE
                if name == "setdefault":
                    containers.put(machine, receiver, key_, default, call.mask)
                return default
        elif name == "setdefault":
            containers.put(machine, receiver, key_, arguments[1] if len(arguments) > 1 else NONE, call.mask)
        return containers.item(machine, receiver, key_, call.mask)
    if name == "update" and receiver.kind == "dict":
        for value in arguments:
            containers.merge(machine, receiver, value, call.mask)
        for keyword, value in call.keywords:
            if keyword is not None:
                containers.put(machine, receiver, Const(keyword), value, call.mask)
        return NONE
    if name in ("clear",):
        for held in [key_ for key_ in receiver.attributes if isinstance(key_, tuple)]:
            machine.set(receiver, held, machine.fresh("cleared"), call.mask)
        if receiver.kind != "dict":
            machine.set(receiver, "[]", Tuple(()), call.mask)
        return NONE
    if name == "copy":
        return receiver
    if name in ("pop", "popleft") and receiver.kind == "list":
        known = containers.items_of(machine, receiver)
        value = containers.element(machine, receiver)
        if known:
            machine.set(receiver, "[]", machine.fresh("popped"), call.mask)
        return value
    if name in ("sort", "reverse", "remove", "discard", "insert"):
        held_items = receiver.attributes.get("[]")
        if name == "insert" and len(arguments) > 1:
            containers.append(machine, receiver, arguments[1], call.mask)
        elif name == "sort" and isinstance(held_items, Unknown):
            from dtlint.machine.library import provenance

            machine.set(receiver, "[]", provenance.without(held_items, "order"), call.mask)
        elif name in ("remove", "discard") and held_items is not None:
            machine.set(
                receiver, "[]", machine.unknown("removed", token(held_items), cause=held_items.cause), call.mask
            )
        return NONE
    return None


def dict_view(machine: Machine, receiver: Object, name: str, call: Invocation) -> Value:
    if "[]" in receiver.attributes:
        held = receiver.attributes["[]"]
        made = machine.new("list", call.mask)
        made.attributes["[]"] = Unknown(
            machine.symbols.of(name, receiver.number, token(held)), held.cause, held.tags, getattr(held, "like", None)
        )
        return made
    pairs = [(Const(key_[1]), value) for key_, value in receiver.attributes.items() if isinstance(key_, tuple)]
    if name == "keys":
        return Tuple(tuple(key_ for key_, _ in pairs))
    if name == "values":
        return Tuple(tuple(value for _, value in pairs))
    return Tuple(tuple(Tuple((key_, value)) for key_, value in pairs))


def text_method(machine: Machine, receiver: Value, name: str, call: Invocation) -> Value | None:
    """Methods of string and number constants, lane by lane."""
    if not isinstance(receiver, Const) or name in ("format_map", "maketrans"):
        return None
    if name == "join" and len(call.arguments) == 1:
        items = containers.items_of(machine, call.arguments[0])
        if items is not None and all(isinstance(item, Const) and isinstance(item.value, str) for item in items):
            return Const(str(receiver.value).join(item.value for item in items))  # type: ignore[attr-defined]
        return None
    if not isinstance(receiver.value, str) or call.keywords:
        return None

    def one(*values: Value) -> Value:
        if all(isinstance(value, Const) for value in values):
            try:
                made = getattr(receiver.value, name)(*(value.value for value in values))  # type: ignore[attr-defined]
            except Exception:
                made = None
            if isinstance(made, str | int | bool | bytes):
                return Const(made)
            if isinstance(made, list):
                return Tuple(tuple(Const(part) for part in made))
        from dtlint.machine.expressions import opaque as unknown_of
        from dtlint.machine.expressions import spelled

        return spelled(unknown_of(machine, f"str.{name}", receiver, *values))

    return map_lanes(one, call.arguments, machine.world)


__all__ = ["FUNCTIONS", "FunctionRef", "container_method", "text_method"]
