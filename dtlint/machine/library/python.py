"""Builtins, containers and the bits of the standard library whose results matter to control flow."""

from __future__ import annotations

import builtins
import collections.abc
import math
import numbers
import re
from collections.abc import Callable
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.machine import containers, lacking, written
from dtlint.machine.core import Machine
from dtlint.machine.lanes import map_lanes, token
from dtlint.machine.library import copies, environment_use, files, iterators, options
from dtlint.machine.library.invocation import Handler, Invocation
from dtlint.machine.library.python_iteration import (
    any_all,
    counter,
    default_dict,
    deque_,
    dict_,
    enumerate_,
    islice,
    iter_,
    length,
    map_,
    range_,
    through,
    tuple_,
    zip_,
)
from dtlint.machine.library.python_properties import property_
from dtlint.machine.opaque import opaque as unknown_of
from dtlint.machine.values import (
    FALSE,
    NONE,
    TRUE,
    Bound,
    ClassRef,
    Const,
    External,
    FunctionRef,
    ModuleRef,
    Object,
    Row,
    Symbol,
    Tuple,
    Unknown,
    Value,
    content,
)


def opaque(machine: Machine, call: Invocation) -> Value:
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


def isinstance_(machine: Machine, call: Invocation) -> Value | None:
    if len(call.arguments) != 2:
        return None
    value, kinds = call.arguments
    by_lane = value.lanes if isinstance(value, Row) else (value,)
    if isinstance(value, Row) and all(is_made(held) for held in by_lane) and of_project(machine, kinds):
        return map_lanes(lambda held: Const(bool(is_of(machine, held, kinds))), (value,), machine.world)
    answers = {is_of(machine, held, kinds) for held in by_lane}
    if answers in ({True}, {False}):
        return TRUE if answers == {True} else FALSE
    if isinstance(value, Row) and answers == {True, False}:
        return map_lanes(lambda held: Const(is_of(machine, held, kinds)), (value,), machine.world)
    return machine.unknown("isinstance", token(value), token(kinds))  # what lanes hold differs sooner than its class


def is_made(value: Value) -> bool:
    """Something that the program has made of a class of its own, while other ranks made something else."""
    return isinstance(value, Object) and isinstance(value.kind, ClassRef)


def of_project(machine: Machine, kinds: Value) -> bool:
    return all(isinstance(option, ClassRef) for option in containers.items_of(machine, kinds) or (kinds,))


def is_of(machine: Machine, value: Value, kinds: Value) -> bool | None:
    """Is one thing of one of these classes, as far as it is known what it is?"""
    from dtlint.machine import attributes

    options = containers.items_of(machine, kinds) or (kinds,)
    if isinstance(value, Object):
        for option in options:
            if isinstance(option, ClassRef) and isinstance(value.kind, ClassRef):
                if option in attributes.linearise(machine, value.kind):
                    return True
            elif isinstance(option, External) and attributes.is_a(machine, value, option.name):
                return True
        if isinstance(value.kind, str) and value.kind in PLAIN:
            return any(issubclass(PLAIN[value.kind], one) for one in map(standard_class, options))
    if isinstance(value, Const) and all(isinstance(option, External | ClassRef) for option in options):
        return any(isinstance(value.value, one) for one in map(standard_class, options))
    return None


PLAIN = {"list": list, "dict": dict, "set": set}
HOMES = {"builtins": builtins, "collections": collections.abc, "typing": collections.abc, "numbers": numbers}


def standard_class(kind: Value) -> tuple[type, ...]:
    """Python's own class of that name, where it is one: things of other people's classes are no lists or numbers.
    What `typing` and, long ago, `collections` call an `Iterable` is that of `collections.abc`."""
    home, _, name = kind.name.rpartition(".") if isinstance(kind, External) else ("", "", "")
    found = getattr(HOMES.get(home.removesuffix(".abc")), name, None)
    return (found,) if isinstance(found, type) else ()


def getattr_(machine: Machine, call: Invocation) -> Value | None:
    from dtlint.machine import attributes

    if len(call.arguments) >= 2 and isinstance(call.arguments[1], Const) and isinstance(call.arguments[1].value, str):
        base, name = call.arguments[0], call.arguments[1].value
        if isinstance(base, Object) and isinstance(base.kind, ClassRef) and len(call.arguments) == 3:
            if machine.get(base, name) is None and not attributes.may_have(machine, base.kind, name):
                return call.arguments[2]
            held = machine.get(base, name)
            some = lacking.asked(machine, base, name, held, call.arguments[2]) if held is not None else None
            if some is not None:
                return some
        if len(call.arguments) == 3 and attributes.lacks(machine, base, name):
            return call.arguments[2]
        if len(call.arguments) == 3 and attributes.has_only_given(base, name):
            return attributes.given(base, name) or call.arguments[2]
        return attributes.read(machine, base, name, call.mask)
    if len(call.arguments) == 2 and isinstance(call.arguments[0], ModuleRef):
        return by_part_of_name(machine, call.arguments[0], call.arguments[1])
    return None


def by_part_of_name(machine: Machine, module: ModuleRef, name: Value) -> Value | None:
    """`getattr(module, f"start_{kind}")`: the functions that may be meant do the same in several ways, so one of them
    stands for all."""
    from dtlint.machine import scopes

    if not isinstance(name, Unknown) or name.cause is not None or module.path is None:
        return None
    written = pattern_of(name.symbol)
    if written is None:
        return None
    for known, held in scopes.load_module(machine, module.path).variables.items():
        if isinstance(held, FunctionRef) and re.fullmatch(written, known):
            return Unknown(machine.symbols.of("attr", module.name, name.symbol), like=held)
    return None


def pattern_of(symbol: Symbol) -> str | None:
    """The names that a text of which a part is known may spell."""
    word, *parts = symbol.key
    if word == "op %" and type(parts[0]) is str:
        parts = [part for known in parts[0].split("%s") for part in (symbol, known)][1:]
    elif word not in ("text", "op +"):
        return None
    if not any(type(part) is str and len(part) > 2 for part in parts):
        return None
    return "".join(re.escape(part) if type(part) is str else r"\w+" for part in parts)


def hasattr_(machine: Machine, call: Invocation) -> Value | None:
    from dtlint.machine import attributes

    if len(call.arguments) == 2 and isinstance(call.arguments[1], Const):
        base, name = call.arguments[0], str(call.arguments[1].value)
        if options.lacks(machine, base, name) or attributes.lacks(machine, base, name):
            return FALSE
        if isinstance(base, FunctionRef) and written.kept_by_function(machine, base):
            return TRUE
        if isinstance(base, Object):
            if machine.get(base, name) is not None:
                return lacking.asked(machine, base, name, TRUE, FALSE) or TRUE
            if isinstance(base.kind, ClassRef):
                if attributes.in_class(machine, base.kind, name) is not None:
                    return TRUE
                if not attributes.may_have(machine, base.kind, name):
                    return FALSE
        if attributes.has_only_given(base, name):
            return FALSE if attributes.given(base, name) is None else TRUE
    return machine.unknown("hasattr", *(token(value) for value in call.arguments))


def setattr_(machine: Machine, call: Invocation) -> Value | None:
    from dtlint.machine.assignment import write_attribute
    from dtlint.machine.library import parts

    if len(call.arguments) == 3 and isinstance(call.arguments[1], Const):
        write_attribute(machine, call.arguments[0], str(call.arguments[1].value), call.arguments[2], call.mask)
    elif len(call.arguments) == 3:
        parts.put(machine, call.arguments[0], call.arguments[2], call.mask)  # under some name or other
    return NONE


def bool_(machine: Machine, call: Invocation) -> Value | None:
    from dtlint.machine.library import uncalled
    from dtlint.machine.truth import answered, truth_of

    if not call.arguments:
        return FALSE
    asked = answered(machine, call.arguments[0], call.mask, counted=True)
    uncalled.made_boolean(machine, call.node, call.arguments[0])

    def one(value: Value) -> Value:
        known, symbol, cause = truth_of(machine, value)
        if known is not None:
            return TRUE if known else FALSE
        return machine.unknown("bool", symbol, cause=cause, tags=value.tags)

    return map_lanes(one, (asked,), machine.world)


def divmod_(machine: Machine, call: Invocation) -> Value | None:
    """`share, rest = divmod(total, world)` divides like `//` and `%`."""
    from dtlint.machine.library import batches
    from dtlint.machine.operators import arithmetic

    if len(call.arguments) != 2:
        return None
    left, right = call.arguments
    share, rest = (arithmetic(machine, op, left, right) for op in ("//", "%"))
    if call.node is not None and len(call.node.args) == 2:
        batches.noticed(machine, ir.BinOp("//", *call.node.args), left, right, share)
    return Tuple((share, rest))


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
        if isinstance(default, Const):
            machine.facts.setdefault(environment_use.DEFAULTS, {})[name.value] = default
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


FUNCTIONS: dict[str, Handler] = {
    "builtins.int": pure(int),
    "builtins.float": pure(float),
    "builtins.str": lambda machine, call: files.to_text(machine, call) or pure(str)(machine, call),
    "builtins.abs": pure(abs),
    "builtins.min": pure(min),
    "builtins.max": pure(max),
    "builtins.round": pure(round),
    "builtins.divmod": divmod_,
    "math.ceil": ceil,
    "math.floor": pure(math.floor),
    "math.sqrt": pure(math.sqrt),
    "math.isqrt": pure(math.isqrt),
    "math.log2": pure(math.log2),
    "builtins.bool": bool_,
    "builtins.len": length,
    "builtins.range": range_,
    "builtins.isinstance": isinstance_,
    "builtins.getattr": getattr_,
    "builtins.hasattr": hasattr_,
    "builtins.setattr": setattr_,
    "builtins.property": property_,
    "builtins.enumerate": enumerate_,
    "itertools.islice": islice,
    "builtins.zip": zip_,
    "builtins.list": through("list"),
    "builtins.sorted": through("sorted"),
    "builtins.set": through("set"),
    "builtins.frozenset": through("set"),
    "builtins.reversed": through("list"),
    "builtins.tuple": tuple_,
    "builtins.dict": dict_,
    "collections.OrderedDict": dict_,
    "collections.deque": deque_,
    "collections.defaultdict": default_dict,
    "collections.Counter": counter,
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
    "types.MappingProxyType": identity,
    "dataclasses.field": field,
    "os.getenv": environment,
    "os.environ.get": environment,
    "contextlib.nullcontext": nullcontext,
    "contextlib.suppress": suppress,
    "atexit.register": lambda machine, call: at_exit(machine, call),
    "copy.copy": identity,
    "copy.deepcopy": copies.deep,
    "typing.cast": lambda machine, call: call.arguments[1] if len(call.arguments) > 1 else None,
}


def at_exit(machine: Machine, call: Invocation) -> Value | None:
    from dtlint.machine.library import run_later

    return run_later.at_exit(machine, call)


def progress(machine: Machine, call: Invocation) -> Value | None:
    """`tqdm(loader, …)` iterates over what it wraps."""
    return call.get("iterable") or (call.arguments[0] if call.arguments else None)


MODELS = {"progress_bar": progress, "progress_range": range_}
