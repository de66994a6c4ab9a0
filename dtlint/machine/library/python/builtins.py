"""Builtins, containers and the bits of the standard library whose results matter to control flow."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.machine.contents import containers
from dtlint.machine.contents.containers import is_list
from dtlint.machine.contents.opaque import opaque as unknown_of
from dtlint.machine.contents.opaque import wherever
from dtlint.machine.core import Machine
from dtlint.machine.lanes import map_lanes, token
from dtlint.machine.library.invocation import Handler, Invocation
from dtlint.machine.library.python import (
    bars,
    combinations,
    context_variables,
    copies,
    environment_use,
    files,
    getters,
    heaps,
    importing,
    in_order,
    iterators,
    registries,
)
from dtlint.machine.library.python.choosing import filter_
from dtlint.machine.library.python.collecting import array_of_rank, through
from dtlint.machine.library.python.containers import (
    chain_map,
    counter,
    default_dict,
    deque_,
    dict_,
    from_keys,
    tuple_,
)
from dtlint.machine.library.python.iteration import (
    any_all,
    chain,
    chained,
    cycle,
    enumerate_,
    islice,
    iter_,
    length,
    map_,
    on_each_lane,
    range_,
    reduce_,
    repeated,
    slice_,
    together,
    zip_,
)
from dtlint.machine.library.python.options import DEMANDED
from dtlint.machine.library.python.properties import property_
from dtlint.machine.library.python.reflection import (
    callable_,
    getattr_,
    hasattr_,
    isinstance_,
    own_attribute,
    said,
    setattr_,
    type_,
)
from dtlint.machine.values import (
    FALSE,
    NONE,
    TRUE,
    Bound,
    Cause,
    ClassRef,
    Const,
    External,
    Object,
    Tuple,
    Unknown,
    Value,
    content,
)


def opaque(machine: Machine, call: Invocation) -> Value:
    receiver = (call.receiver,) if call.receiver is not None else ()
    values = (*receiver, *call.arguments, *wherever(machine, call.keywords))
    made = unknown_of(machine, call.name, *values)
    if call.name.startswith("numpy.") and any(map(is_list, values)):
        symbol = machine.symbols.of(call.name, *(token(held_in(machine, value)) for value in values))
        made = Unknown(symbol, made.cause, made.tags, made.like)
    if machine.flow is not None:
        from dtlint.machine.library.jax import arrays as jax_arrays

        return jax_arrays.with_shape(machine, call, made)
    return made


def held_in(machine: Machine, value: Value) -> Value:
    """What NumPy makes of a list is made of what is in it."""
    items = containers.items_of(machine, value) if containers.is_list(value) else None
    return Tuple(items) if items is not None else value


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


def of_items(function: Callable[..., Any]) -> Handler:
    """`max(3, 5)`, and `max(sizes)` where each of the sizes is known; the one that `key` prefers on each rank."""
    known = pure(function)

    def handler(machine: Machine, call: Invocation) -> Value | None:
        from dtlint.machine.library.python import own_order

        item = containers.element(machine, call.arguments[0]) if len(call.arguments) == 1 and call.keywords else None
        cause = own_order.judged_by_own(machine, call, item) if item is not None else None
        if item is not None and cause is not None:
            return machine.unknown("preferred", token(item), cause=cause, like=getattr(item, "like", None))
        items = containers.items_of(machine, call.arguments[0]) if len(call.arguments) == 1 else None
        if items and "key" in dict(call.keywords):
            turned = (*(one for one in call.keywords if one[0] == "key"), ("reverse", Const(function is max)))
            ordered = in_order.arranged(machine, replace(call, keywords=turned), items)
            if ordered is not None:
                return ordered[0]
        if items and len(items) > 1 and all(isinstance(item, Const) for item in items):
            return known(machine, replace(call, arguments=items))
        return known(machine, call)

    return handler


def sum_(machine: Machine, call: Invocation) -> Value | None:
    """`sum(0 * p.sum() for p in model.parameters())`: made of the parameters, and not just of a list."""
    from dtlint.machine.library.computing import provenance

    held = call.arguments[0] if call.arguments else None
    item = held.attributes.get("[]") if isinstance(held, Object) else None
    if not isinstance(item, Unknown) or not provenance.modules_of(item.symbol):
        return None
    plain = unknown_of(machine, call.name, *call.values)
    return Unknown(machine.symbols.of(call.name, item.symbol), plain.cause, plain.tags)


def ceil(machine: Machine, call: Invocation) -> Value | None:
    """A share rounded up leaves less for the last rank; where it was rounded stays known."""
    made = pure(math.ceil)(machine, call)
    sites = machine.facts.setdefault("ceilings", [])
    if len(sites) < 32:
        sites.append((machine.frame.path, machine.current_at, machine.frame.scope))
    return made


def bool_(machine: Machine, call: Invocation) -> Value | None:
    from dtlint.machine.contents.truth import answered, truth_of
    from dtlint.machine.library.python import uncalled

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
    from dtlint.machine.contents.operators import arithmetic
    from dtlint.machine.library.feeding import batches

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
    """What is made for each one; a default of pydantic's `Field` is there for a file to say something else."""
    given = {str(name): value for name, value in call.keywords}
    default = given.get("default") if call.name != "pydantic.Field" else None
    factory = given.get("default_factory") or given.get("factory")
    if "converter" not in given and factory is None:
        return default if default is not None else machine.unknown("field", id(call.node))
    made = machine.new("dataclasses.Field", call.mask)
    held = {"default_factory": factory, "default": default, "converter": given.get("converter")}
    made.facts.update({name: value for name, value in held.items() if value is not None})
    return made


def factory(machine: Machine, call: Invocation) -> Value | None:
    """`attrs.Factory(list)`"""
    made = machine.new("dataclasses.Field", call.mask)
    made.facts["default_factory"] = call.arguments[0] if call.arguments else NONE
    return made


def environment(machine: Machine, call: Invocation) -> Value | None:
    name = call.arguments[0] if call.arguments else None
    default = call.arguments[1] if len(call.arguments) > 1 else None
    return read_environment(machine, name, default)


def made_by_each(default: Value | None) -> Cause | None:
    """`os.environ.get("RUN", uuid.uuid4().hex)`: what each process makes where nobody has set the variable."""
    return default.cause if isinstance(default, Unknown) else None


def read_environment(machine: Machine, name: Value | None, default: Value | None) -> Value:
    from dtlint.machine.library.meeting.identity import lane_value_of

    environment_use.read(machine, name)
    if isinstance(name, Const) and isinstance(name.value, str):
        row = machine.knowledge.environment.get(name.value)
        if row is not None:
            if row.does == "source":
                return machine.unknown(
                    "environment", name.value, cause=machine.cause(row.cause, f"`{name.value}` differs by {row.cause}")
                )
            if row.does == "same":
                return machine.unknown("environment", name.value, tags=frozenset({DEMANDED}))
            value = lane_value_of(machine, row.value, f'os.environ["{name.value}"]', not row.extra.get("alone_too"))

            def as_text(held: Value) -> Value:
                return Const(str(held.value), held.scale) if isinstance(held, Const) else held

            return map_lanes(as_text, (value,), machine.world)
        if isinstance(default, Const):
            machine.facts.setdefault(environment_use.DEFAULTS, {})[name.value] = default
        return machine.unknown("environment", name.value, cause=made_by_each(default))
    return machine.unknown("environment", token(name) if name else "")


def print_(machine: Machine, call: Invocation) -> Value | None:
    from dtlint.machine.library.computing import metrics

    metrics.shown(machine, call)
    for value in call.arguments:
        said(machine, value, call.mask)
    return NONE


def text_(machine: Machine, call: Invocation) -> Value | None:
    given = call.arguments[0] if call.arguments else None
    spoken = said(machine, given, call.mask) if given is not None else None
    return spoken if spoken is not given else files.to_text(call) or pure(str)(machine, call)


def nullcontext(machine: Machine, call: Invocation) -> Value | None:
    made = machine.new("contextlib.nullcontext", call.mask)
    made.facts["context"] = "nothing"
    made.facts["given"] = call.arguments[0] if call.arguments else NONE
    return made


def made_of_class(machine: Machine, call: Invocation) -> Value | None:
    """`super().__new__(cls)`"""
    kind = call.arguments[0] if call.arguments else None
    return machine.new(kind, call.mask) if isinstance(kind, ClassRef) else None


def suppress(machine: Machine, call: Invocation) -> Value | None:
    from dtlint.machine.control.attempts import exception_names

    made = machine.new("contextlib.suppress", call.mask)
    made.facts["context"] = "suppress"
    made.facts["types"] = tuple(name for value in call.arguments for name in exception_names(value))
    return made


def auto(machine: Machine, call: Invocation) -> Value | None:
    """`TRAIN = auto()`: another value for each member of the enumeration."""
    return Const(len(machine.frame.variables) + 1) if machine.frame.is_class else None


FUNCTIONS: dict[str, Handler] = {
    **getters.FUNCTIONS,
    "enum.auto": auto,
    "builtins.int": pure(int),
    "builtins.float": pure(float),
    "builtins.str": text_,
    "builtins.abs": pure(abs),
    "builtins.min": of_items(min),
    "builtins.max": of_items(max),
    "builtins.sum": sum_,
    "builtins.round": pure(round),
    "builtins.divmod": divmod_,
    "math.ceil": ceil,
    "math.floor": pure(math.floor),
    "math.sqrt": pure(math.sqrt),
    "math.isqrt": pure(math.isqrt),
    "math.log2": pure(math.log2),
    "builtins.bool": bool_,
    "asyncio.gather": together,
    **{f"asyncio.{name}": identity for name in ("run", "wait_for", "shield", "create_task", "ensure_future")},
    "builtins.object.__new__": made_of_class,
    "operator.truth": bool_,
    "builtins.len": length,
    "builtins.range": range_,
    "numpy.arange": array_of_rank,
    "builtins.slice": slice_,
    "builtins.isinstance": isinstance_,
    "builtins.type": type_,
    "builtins.callable": callable_,
    "functools.reduce": on_each_lane(reduce_),
    "builtins.getattr": getattr_,
    "builtins.hasattr": hasattr_,
    "builtins.setattr": setattr_,
    "builtins.object.__getattribute__": own_attribute,
    "builtins.object.__setattr__": setattr_,  # of a frozen dataclass, in its own `__post_init__`
    "builtins.property": property_,
    "builtins.enumerate": on_each_lane(enumerate_),
    **combinations.FUNCTIONS,
    **heaps.FUNCTIONS,
    **context_variables.FUNCTIONS,
    "itertools.islice": islice,
    "itertools.repeat": repeated,
    "itertools.cycle": cycle,
    "itertools.chain": chain,
    "itertools.chain.from_iterable": chained,
    "builtins.filter": filter_,
    "builtins.zip": on_each_lane(zip_),
    "builtins.list": on_each_lane(through("list")),
    "builtins.sorted": on_each_lane(through("sorted")),
    "builtins.set": on_each_lane(through("set")),
    "builtins.frozenset": on_each_lane(through("set")),
    "builtins.reversed": on_each_lane(through("list")),
    "builtins.tuple": on_each_lane(tuple_),
    "builtins.dict": dict_,
    "builtins.dict.fromkeys": from_keys,
    "collections.OrderedDict": dict_,
    "collections.deque": deque_,
    "collections.ChainMap": chain_map,
    "collections.defaultdict": default_dict,
    "collections.Counter": counter,
    "builtins.next": iterators.asked,
    "builtins.iter": iter_,
    "builtins.any": on_each_lane(any_all(True)),
    "builtins.all": on_each_lane(any_all(False)),
    "builtins.print": print_,
    "builtins.map": map_,
    "functools.partial": partial,
    "functools.partialmethod": partial,
    "jax.tree_util.Partial": partial,
    "functools.wraps": wraps,
    "dtlint.identity": identity,
    "dtlint.enter": registries.entered,
    "types.MappingProxyType": identity,
    "dataclasses.field": field,
    **dict.fromkeys(("attrs.field", "attr.field", "attr.ib", "attr.attrib"), field),
    **dict.fromkeys(("attrs.Factory", "attr.Factory"), factory),
    "pydantic.Field": field,
    "os.getenv": environment,
    "os.environ.get": environment,
    "contextlib.nullcontext": nullcontext,
    "contextlib.suppress": suppress,
    "importlib.import_module": importing.import_module,
    "atexit.register": lambda machine, call: at_exit(machine, call),
    "weakref.finalize": lambda machine, call: when_collected(machine, call),
    "copy.copy": copies.shallow,
    "copy.deepcopy": copies.deep,
    "typing.cast": lambda machine, call: call.arguments[1] if len(call.arguments) > 1 else None,
}


def when_collected(machine: Machine, call: Invocation) -> Value | None:
    from dtlint.machine.library.python import run_later

    run_later.when_collected(machine, call)
    return None


def at_exit(machine: Machine, call: Invocation) -> Value | None:
    from dtlint.machine.library.python import run_later

    return run_later.at_exit(machine, call)


def number_asked(machine: Machine, call: Invocation) -> Value | None:
    """`isnan(time.time() - start)`: what the clock says is a number for everybody."""
    kinds = {value.cause.kind for value in call.values if value.cause is not None}
    return machine.unknown(call.name, *map(token, call.values)) if kinds == {"clock"} else None


MODELS = {bars.BAR: bars.progress, "progress_range": range_, "number_asked": number_asked}
