"""Starting, guarding and ending ranks: spawn, decorators, exit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.machine import containers
from dtlint.machine.core import Machine
from dtlint.machine.library.identity import lane_value_of
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.logs import FAILED_EXIT, Attempt, Decision, Guards, HandlerLog
from dtlint.machine.values import (
    NONE,
    Bound,
    ClassRef,
    Const,
    External,
    FunctionRef,
    Object,
    Tuple,
    Unknown,
    Value,
)

BEGINS = "<begins on all ranks>"
GUARDS = {"main": "is_main", "local_main": "is_local_main", "last": "is_last"}


def decorate(machine: Machine, call: Invocation, decorating: bool) -> Value:
    """`@rank_zero_only`: the function runs on some ranks; the others get None."""
    kind = call.row.kind
    function = call.arguments[0] if call.arguments else None
    if kind in GUARDS and function is not None:
        return guarded(machine, call, function)
    if kind in GUARDS:
        return Bound(External(call.row.name), None)
    return function if function is not None else External("dtlint.identity")


def guarded(machine: Machine, call: Invocation, function: Value, on: Value | None = None, **facts: Any) -> Value:
    """A function that only the ranks `on` run; without it, those the row names."""
    made = machine.new("<guarded>", call.mask)
    made.facts.update(guard=GUARDS.get(call.row.kind, "is_main"), function=function, api=call.row.name, on=on, **facts)
    return Bound(External("dtlint.guarded"), None, (made,))


def call_guarded(machine: Machine, call: Invocation) -> Value:
    from dtlint.machine import calls
    from dtlint.machine.branches import branch

    made = call.arguments[0]
    assert isinstance(made, Object)
    spelled = f"@{made.facts['api'].rpartition('.')[2]}"
    holder: dict[object, Value] = {"value": NONE}
    function, given = made.facts["function"], call.arguments[1:]
    alone = made.facts.get("static") or (isinstance(function, FunctionRef) and function.kind == "static")
    if call.receiver is not None and not alone:
        given = (call.receiver, *given)
    on = made.facts.get("on")
    value = on if on is not None else lane_value_of(machine, made.facts["guard"], spelled)

    def inside(lanes: int) -> int:
        with disabled(machine, made.facts.get("disables")):
            result = calls.call_value(machine, function, given, call.keywords, lanes)
        machine.store(holder, "value", result, lanes, machine.world.full)
        return lanes

    branch(machine, value, call.mask, machine.current_at, lambda: spelled, inside, lambda lanes: lanes)
    if made.facts.get("barrier"):
        machine.emit_event("collective", "barrier", made.facts["api"], call.mask, group=machine.world_group)
    return holder["value"]


@contextmanager
def disabled(machine: Machine, family: object) -> Iterator[None]:
    """Inside, the calls whose rows say `disabled_by` this family do nothing: the library counts who is alone."""
    off = machine.facts.setdefault("disabled", [])
    if family:
        off.append(family)
    try:
        yield
    finally:
        if family:
            off.remove(family)


def main_only(machine: Machine, call: Invocation) -> Value | None:
    """speechbrain's `@main_process_only` and `run_on_main(func)`: its own barriers are off meanwhile."""
    function = call.get("function") or (call.arguments[0] if call.arguments else None)
    return guarded(machine, call, function, disables=call.row.extra.get("disables")) if function is not None else None


def run_on_main(machine: Machine, call: Invocation) -> Value:
    """The function on rank 0, a barrier, then the second function on the others, or on all."""
    from dtlint.machine import calls

    function, after = call.get("func"), call.get("post_func")
    if function is not None and function != NONE:
        items = containers.items_of(machine, call.get("args") or NONE) or ()
        only = guarded(machine, call, function, disables="speechbrain")
        calls.call_value(machine, only, items, (), call.mask)
    machine.emit_event(
        "collective", call.row.op, call.name, call.mask, group=machine.world_group, implicit=True, extra={"call": call}
    )
    if after is not None and after != NONE:
        calls.call_value(machine, after, (), (), call.mask)
    return NONE


def rank_given(machine: Machine, call: Invocation, param: str, kind: str) -> Value:
    """Is this the rank named by an argument?"""
    from dtlint.machine.operators import comparison

    wanted = call.get(param)
    value = lane_value_of(machine, kind, f"@{call.name.rpartition('.')[2]}")
    return comparison(machine, "==", value, wanted if wanted is not None else Const(0), call.mask)


def on_rank(machine: Machine, call: Invocation, param: str, kind: str) -> Value:
    """`@state.on_process(process_index=2)`, with the function at once or later."""
    if not call.arguments:
        return Bound(External(call.name), call.receiver, (), call.keywords)  # type: ignore[arg-type]
    return guarded(machine, call, call.arguments[0], rank_given(machine, call, param, kind))


def on_process(machine: Machine, call: Invocation) -> Value:
    return on_rank(machine, call, "process_index", "rank")


def on_local_process(machine: Machine, call: Invocation) -> Value:
    return on_rank(machine, call, "local_process_index", "local_rank")


def decorator_factory(machine: Machine, call: Invocation) -> Value:
    """`@coordinator.on_master_only()`"""
    return maker_of(machine, call, None)


def one_rank_only(machine: Machine, call: Invocation) -> Value:
    """`@idist.one_rank_only(rank=0, with_barrier=False)`"""
    barrier = call.get("with_barrier")
    return maker_of(
        machine, call, rank_given(machine, call, "rank", "rank"), barrier=isinstance(barrier, Const) and barrier.value
    )


def maker_of(machine: Machine, call: Invocation, on: Value | None, **facts: Any) -> Value:
    maker = machine.new("<guard maker>", call.mask)
    maker.facts.update(call=call, on=on, more=facts)
    return Bound(External("dtlint.guard"), None, (maker,))


def guard_made(machine: Machine, call: Invocation) -> Value:
    maker, function = call.arguments[0], call.arguments[1] if len(call.arguments) > 1 else NONE
    assert isinstance(maker, Object)
    return guarded(machine, maker.facts["call"], function, maker.facts["on"], **maker.facts["more"])


def dist_info(machine: Machine, call: Invocation) -> Value:
    """Several of a rank's values at once."""
    short = call.name.rpartition(".")[2]
    return Tuple(tuple(lane_value_of(machine, str(kind), f"{short}()") for kind in call.row.extra.get("returns", ())))


def local_by_default(machine: Machine, call: Invocation) -> Value:
    """`xm.is_master_ordinal(local=True)`: the first of its host, unless asked for the first of all."""
    local = call.get("local")
    alone = isinstance(local, Const) and not local.value
    return lane_value_of(machine, "is_main" if alone else "is_local_main", call.name.rpartition(".")[2])


def turns_context(kinds: tuple[str, str]) -> Any:
    """`main_process_first(local=…)`: who goes first, by the argument and its default."""

    def handler(machine: Machine, call: Invocation) -> Value:
        local = call.get("local")
        made = machine.new("<context>", call.mask)
        which = kinds[0] if local is None or not isinstance(local, Const) else "local_first" if local.value else "first"
        made.facts.update(context=which, api=call.row.name)
        return made

    return handler


# --- functions that are run later, by somebody else ----------------------------------------------------------------


def later(machine: Machine, function: Value, mask: int, kind: str, text: str, cause: str) -> None:
    """A function some rank runs at a time of its own (a signal, the end of the process): what it says it says alone,
    and what it writes differs from rank to rank."""
    from dtlint.machine import calls

    frame = machine.frame
    at = machine.current_at
    attempt = Attempt(frame.path, at, mask, frame.guards, frame.scope, kind)
    log = HandlerLog((text,), at, False)
    attempt.handlers.append(log)
    why = machine.cause(cause, f"{text} comes to each rank at a time of its own")
    decision = Decision("handler", frame.path, at, text, why, mask, mask, frame.scope)
    sinks, guards, left = machine.sinks, frame.guards, frame.left
    last_exit, leavings = frame.last_exit, len(frame.leavings)
    machine.sinks, frame.guards = [(log.log, mask)], Guards(decision, guards)
    mark = len(machine.journal)
    given = (machine.fresh("signal", why), machine.fresh("frame"), machine.fresh("trace"))[: arity(function)]
    calls.call_value(machine, function, given, (), mask)
    writes = machine.rollback(mark)
    machine.sinks, frame.guards, frame.left, frame.last_exit = sinks, guards, left, last_exit
    del frame.leavings[leavings:]
    machine.join_writes(writes, [], machine.symbols.fresh(kind), why, mask)
    if log.log.nodes:
        machine.emit(attempt)


def arity(function: Value) -> int:
    inner = function.function if isinstance(function, Bound) else function
    params = getattr(getattr(inner, "node", None), "params", ())
    return len(params) - (1 if isinstance(function, Bound) and function.receiver is not None else 0)


def project_function(value: Value | None) -> bool:
    inner = value.function if isinstance(value, Bound) else value
    return isinstance(inner, FunctionRef)


def hook_written(machine: Machine, base: Value, name: str, value: Value, mask: int) -> None:
    """`sys.excepthook = told`: what runs when this process fails."""
    row = machine.knowledge.apis.get(f"{base.name}.{name}") if isinstance(base, External) else None
    if row is not None and row.extra.get("hook") and project_function(value):
        later(machine, value, mask, "exit", f"`{name}`", "exception")


def signal_handler(machine: Machine, call: Invocation) -> Value:
    handler = call.get("handler")
    if handler is not None and project_function(handler):
        later(machine, handler, call.mask, "signal", "a signal", "signal")
    return machine.unknown("handler before", id(call.node))


def at_exit(machine: Machine, call: Invocation) -> Value:
    """`atexit.register(f)`: a rank that fails runs it alone."""
    function = call.arguments[0] if call.arguments else NONE
    if project_function(function):
        given = Bound(function, None, call.arguments[1:], call.keywords)  # type: ignore[arg-type]
        later(machine, given, call.mask, "exit", "the end of the process", "exception")
    return function


def finalised(machine: Machine, thing: Object, mask: int) -> None:
    """`__del__` of a project class runs when a rank collects its garbage."""
    from dtlint.machine import attributes

    assert isinstance(thing.kind, ClassRef)
    method = attributes.in_class(machine, thing.kind, "__del__")
    if not isinstance(method, FunctionRef):
        return
    machine.consult(method)
    if not method.node.tokens.isdisjoint(machine.interesting):
        later(machine, Bound(method, thing), mask, "finaliser", "`__del__`", "exception")


def walked_through(machine: Machine, call: Invocation) -> None:
    """A generator of the project is given to somebody unknown: it is for walking through, on the ranks that give it."""
    for value in call.values:
        if isinstance(value, Object) and value.kind == "<generator>" and len(machine.stack) <= 12:
            from dtlint.machine import calls

            calls.resume(machine, value, call.mask, lambda held, lanes: None)


def handed_over(machine: Machine, call: Invocation) -> None:
    """A function of the project is given to somebody unknown, who may call it: on the ranks that hand it over. A
    generator is walked through. Whoever it is may also seed the generators, if the name says so."""
    from dtlint.machine.library import seeds

    seeds.foreign(machine, call.name)
    walked_through(machine, call)
    for value in call.values:
        inner = unguarded(value)
        if not isinstance(inner, FunctionRef) or len(machine.stack) > 12:
            continue
        node = inner.node
        machine.consult(inner)
        if isinstance(node, ir.Function) and node.tokens.isdisjoint(machine.interesting):
            continue
        if isinstance(node, ir.Lambda) and not names_in(node).intersection(machine.interesting):
            continue
        nested = isinstance(node, ir.Lambda) or "<locals>" in node.qualname
        if nested or call.mask != machine.world.full:
            may_call(machine, value, node, call.mask)


def unguarded(value: Value) -> Value:
    """The function itself, whatever it is bound to and whoever may run it."""
    while isinstance(value, Bound):
        made = value.extra[0] if value.extra else None
        guard = isinstance(made, Object) and made.kind == "<guarded>"
        value = made.facts["function"] if guard and isinstance(made, Object) else value.function
    return value


def may_call(machine: Machine, function: Value, node: Any, mask: int) -> None:
    from dtlint.machine import calls, entries
    from dtlint.machine.branches import choose

    def inside(lanes: int) -> int:
        if isinstance(node, ir.Function):
            bound = isinstance(function, Bound) and function.receiver is not None
            arguments = entries.unknown_arguments(machine, node, bound)
        else:
            arguments = tuple(machine.unknown("argument", id(node), param.name) for param in node.params)
        machine.facts["given away"] = machine.facts.get("given away", 0) + 1
        calls.call_value(machine, function, arguments, (), lanes)
        machine.facts["given away"] -= 1
        return lanes

    symbol = machine.symbols.fresh("called")
    choose(
        machine, mask, None, symbol, machine.current_at, lambda: "a function given away", inside, lambda lanes: lanes
    )


def names_in(node: ir.Lambda) -> frozenset[str]:
    tokens = getattr(node, "tokens", None)
    if tokens is not None:
        return frozenset(tokens)
    from dtlint.machine.expressions import text_of

    return frozenset(re.findall(r"\w+", text_of(node.body)))


def leave(machine: Machine, call: Invocation) -> Value:
    """`sys.exit()`: these lanes end here."""
    frame = machine.frame
    frame.last_exit = (FAILED_EXIT if tells_failure(call) else "exit", machine.current_at)
    frame.left |= call.mask
    machine.ended(call.mask, machine.current_at)
    return NONE


def tells_failure(call: Invocation) -> bool:
    """A status other than 0, or a message: the launcher stops the other ranks."""
    status = call.arguments[0] if call.arguments else None
    if isinstance(status, Const):
        return status.value not in (None, 0, False)
    return isinstance(status, Unknown) and status.symbol.key[0] == "text"


def spawn(machine: Machine, call: Invocation) -> Value:
    """The function runs once on every rank, its index first."""
    if machine.facts.get("given away"):
        return NONE  # a whole program handed to somebody who may just want its signature
    machine.facts.setdefault("spawned", True)
    extra = call.row.extra
    function = call.get(str(extra.get("function", "fn"))) or (call.arguments[0] if call.arguments else None)
    if function is None:
        return NONE
    given = call.get(str(extra.get("args", "args")))
    items = containers.items_of(machine, given) if given is not None else ()
    arguments: tuple[Value, ...] = tuple(items or ())
    arguments = tuple(the_world(machine, call.get("nprocs"), value) for value in arguments)
    if extra.get("receiver_first") and call.receiver is not None:
        arguments = (call.receiver, *call.arguments[1:])
    if extra.get("rank_first", True):
        arguments = tuple(made_before(value) for value in arguments)
        arguments = (lane_value_of(machine, "rank", "the index given by spawn"), *arguments)
    given_on = tuple((name, value) for name, value in call.keywords if name not in call.row.params)
    on_all_ranks(machine, function, arguments, given_on if extra.get("receiver_first") else (), call.mask)
    return NONE


def on_all_ranks(
    machine: Machine, function: Value, arguments: tuple[Value, ...], given_on: Any, mask: int, *limits: int
) -> None:
    """Each rank begins anew with this function, however deep the place is that starts them."""
    from dtlint.machine import calls

    spawned(machine, function)
    followed = machine.deepest, machine.near
    limits = limits or followed
    machine.deepest, machine.near = (deep + len(machine.stack) for deep in limits)
    machine.facts[BEGINS] = True
    try:
        calls.call_value(machine, function, arguments, given_on, mask)
    finally:
        machine.deepest, machine.near = followed


def for_one(machine: Machine, function: FunctionRef, arguments: tuple[Value, ...]) -> bool:
    """`begin(0, 1, args)` beside the processes that begin with the same function, each with its own number: this is for
    one process, and what it does has been seen."""
    if machine.facts.pop(BEGINS, False):
        return False
    known = machine.facts["spawned"]
    return (
        isinstance(known, set)
        and (function.path, function.name) in known
        and any(isinstance(one, Const) and type(one.value) is int and one.scale is None for one in arguments)
    )


def spawned(machine: Machine, function: Value) -> None:
    known = machine.facts.setdefault("spawned", True)
    inner = unguarded(function)
    if isinstance(inner, FunctionRef):
        names = known if isinstance(known, set) else set()
        machine.facts["spawned"] = names | {(inner.path, getattr(inner.node, "qualname", inner.name))}
        machine.facts.setdefault("spawned at", set()).add((machine.frame.path, machine.current_at))


ONCE = frozenset({"clock", "random", "process", "memory", "host"})


def made_before(value: Value) -> Value:
    """What one process has drawn or read off its clock, and hands to all ranks that it starts."""
    if isinstance(value, Unknown) and value.cause is not None and value.cause.kind in ONCE:
        return Unknown(value.symbol, None, value.tags, value.like)
    return value


def the_world(machine: Machine, count: Value | None, value: Value) -> Value:
    """`spawn(work, args=(count,), nprocs=count)`: what was spawned that often is the number of ranks."""
    if isinstance(count, Unknown) and isinstance(value, Unknown) and value.symbol is count.symbol:
        return lane_value_of(machine, "world_size", "the number of processes given to spawn")
    return value


def ignite_run(machine: Machine, call: Invocation) -> Value:
    """`parallel.run(training, config)`: local rank first, then what was given."""
    from dtlint.machine import calls

    if call.arguments:
        index = lane_value_of(machine, "local_rank", "the index given by run")
        calls.call_value(machine, call.arguments[0], (index, *call.arguments[1:]), call.keywords, call.mask)
    return NONE


MODELS: dict[str, Any] = {
    "spawn": spawn,
    "fabric_launch": spawn,
    "ignite_parallel_run": ignite_run,
    "on_process": on_process,
    "on_local_process": on_local_process,
    "decorator_factory": decorator_factory,
    "ignite_one_rank_only": one_rank_only,
    "speechbrain_main_only": main_only,
    "run_on_main": run_on_main,
    "dist_info": dist_info,
    "xla_is_master": local_by_default,
    "hf_main_process_first": turns_context(("local_first", "first")),
    "fabric_rank_zero_first": turns_context(("first", "local_first")),
    "signal_handler": signal_handler,
    "at_exit": at_exit,
}
