"""Which functions run on some ranks only: decorators, guards, exits?"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from dtlint.machine.contents import containers
from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.meeting.identity import lane_value_of
from dtlint.machine.logs import FAILED_EXIT
from dtlint.machine.values import (
    NONE,
    Bound,
    Const,
    External,
    FunctionRef,
    Object,
    Row,
    Tuple,
    Unknown,
    Value,
)

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
    from dtlint.machine.control.branches import branch
    from dtlint.machine.functions import calls

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
    from dtlint.machine.functions import calls

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
    from dtlint.machine.contents.operators import comparison

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


def leave(machine: Machine, call: Invocation) -> Value:
    """`sys.exit()`: these lanes end here."""
    frame = machine.frame
    frame.last_exit = (FAILED_EXIT if tells_failure(next(iter(call.arguments), None)) else "exit", machine.current_at)
    frame.left |= call.mask
    machine.ended(call.mask, machine.current_at)
    return NONE


def tells_failure(status: Value | None) -> bool:
    """A status other than 0, or a message: the launcher stops the other ranks."""
    if isinstance(status, Row):
        return all(map(tells_failure, status.lanes))
    if isinstance(status, Const):
        return status.value not in (None, 0, False)
    return isinstance(status, Unknown) and status.symbol.key[0] == "text"


MODELS: dict[str, Any] = {
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
}
