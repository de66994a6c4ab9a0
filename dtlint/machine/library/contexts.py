"""What library context managers do before and after the body of a `with`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeGuard

from dtlint.ir import nodes as ir
from dtlint.machine.control import caught
from dtlint.machine.control.failures import SHARED, only
from dtlint.machine.core import OPEN, Machine
from dtlint.machine.lanes import lanes_in, row
from dtlint.machine.library.computing.provenance import symbols_in
from dtlint.machine.library.drawing import states
from dtlint.machine.library.meeting.identity import lane_value_of
from dtlint.machine.library.python import exit_stacks
from dtlint.machine.logs import Attempt, Decision, HandlerLog
from dtlint.machine.values import NONE, Cause, Object, Row, Trail, Unknown, Value, lane_value

Inner = Callable[[Value, int], int]
UNSEEN = "unseen context"  # record: one of a library nobody knows, that may do anything to what it was given


def run_context(machine: Machine, manager: Value, expression: ir.Expr, mask: int, inner: Inner, at: Any) -> int:
    kind = manager.facts.get("context") if isinstance(manager, Object) else None
    if isinstance(manager, Object) and "axis names" in manager.facts:
        outer = machine.facts.get("jax mesh")
        machine.facts["jax mesh"] = manager
        try:
            return inner(manager, mask)
        finally:
            machine.facts["jax mesh"] = outer
    if kind == "sharded model" and isinstance(manager, Object):
        from dtlint.machine.library.training import sharded_scope

        return sharded_scope.run(machine, manager, mask, inner)
    if isinstance(manager, Object) and manager.kind == exit_stacks.STACK:
        return exit_stacks.run_stack(machine, manager, mask, inner)
    if kind == "suppress":
        types = manager.facts.get("types", ("Exception",)) if isinstance(manager, Object) else ("Exception",)
        return suppress(machine, types, mask, inner, at, caught.suppressing(expression))
    if kind in ("first", "local_first"):
        return in_turns(machine, manager, kind, mask, inner, at)
    if kind == "apart" and isinstance(manager, Object):
        return states.apart(machine, manager, mask, inner)
    if kind == "lock":
        frame = machine.frame
        alone = Decision("lock", frame.path, at, "with a lock", None, mask, mask, frame.scope)
        return machine.guarded(alone, lambda: inner(manager, mask))
    if kind in OPEN:
        saved = machine.facts.get(kind, 0)
        machine.facts[kind] = saved + 1
        try:
            return inner(manager, mask)
        finally:
            machine.facts[kind] = saved
    given = given_to_unseen(machine, manager)
    if given:
        machine.emit_event("record", UNSEEN, "", mask, extra={"given": given}, at=at)
    before = machine.frame.guards
    try:
        return inner(entered(manager), mask)
    finally:
        machine.frame.guards = before  # a file that was locked in there is closed again


def entered(manager: Value) -> Value:
    """What `as` names: `nullcontext(thing)` gives the thing, or nothing, most others give themselves."""
    if isinstance(manager, Row):
        lanes = tuple(entered(held) for held in manager.lanes)
        return row(lanes, manager.cause) if lanes != manager.lanes else manager
    if is_nothing(manager):
        given: Value = manager.facts.get("given", NONE)
        return given
    return manager


def is_nothing(manager: Value) -> TypeGuard[Object]:
    return isinstance(manager, Object) and manager.facts.get("context") == "nothing"


def given_to_unseen(machine: Machine, manager: Value) -> frozenset[int]:
    """The things, by number, that a library nobody knows was given for the context it made, or for several of them."""
    if not isinstance(manager, Unknown):
        return frozenset()
    made = (one for one in symbols_in(manager.symbol) if isinstance(one.key[0], str) and "." in one.key[0])
    unseen = (one for one in made if machine.knowledge.api(one.key[0]) is None)
    return frozenset(
        part[1] for one in unseen for part in one.key[1:] if isinstance(part, tuple) and part[:1] == ("object",)
    )


def in_turns(machine: Machine, manager: Value, kind: str, mask: int, inner: Inner, at: Any) -> int:
    """`main_process_first`: the others wait in a barrier before the body, the first ones wait for them after it. A
    collective in the body meets that barrier."""
    name = manager.facts.get("api", "main_process_first") if isinstance(manager, Object) else "main_process_first"
    shown = f"{name.rpartition('.')[2]}()"
    value = lane_value_of(machine, "is_main" if kind == "first" else "is_local_main", shown)
    first = sum(1 << lane for lane in lanes_in(mask) if getattr(lane_value(value, lane), "value", False))
    frame = machine.frame
    decision = Decision("branch", frame.path, at, shown, value.cause, first, mask, frame.scope)

    def wait(lanes: int) -> int:
        if lanes:
            machine.emit_event("collective", "barrier", name, lanes, group=machine.world_group, at=at)
        return lanes

    machine.guarded(decision, lambda: wait(mask & ~first))
    through = inner(NONE, mask)
    machine.guarded(decision, lambda: wait(first))
    return through


def suppress(
    machine: Machine, types: tuple[str, ...], mask: int, inner: Inner, at: Any, written: ir.Try | None = None
) -> int:
    frame = machine.frame
    if not types:
        return inner(NONE, mask)  # `suppress()` is a context that does nothing
    shared = only(types, SHARED)
    attempt = Attempt(frame.path, at, mask, frame.guards, frame.scope, "suppress")
    attempt.handlers.append(HandlerLog(types, at, shared))
    outer, guards = machine.sinks, frame.guards
    machine.emit(attempt)
    inside = [(attempt.body, mask)]
    machine.sinks = inside
    mark = len(machine.journal)
    gone, caught_in = caught.away(frame), 0
    if written is None:
        through = inner(NONE, mask)
    else:
        through, state = caught.run_within(machine, written, lambda: inner(NONE, mask))
        caught_in = caught.go_on(machine, state, inside, gone)
    writes = machine.rollback(mark)
    words = " or ".join(types)
    cause = None if shared else Cause("exception", Trail(machine.step(f"`{words}` may be raised on one rank only", at)))
    decision = Decision("handler", frame.path, at, f"suppress({words})", cause, mask, mask, frame.scope)
    machine.join_writes(writes, [], machine.symbols.fresh("exception"), decision.cause, mask)
    frame.guards = guards
    machine.sinks = outer
    return through | caught_in or mask & ~frame.left
