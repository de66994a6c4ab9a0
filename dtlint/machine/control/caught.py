"""Who raises here is caught a few lines below: the handler comes next, and then what stands behind the `try`."""

from __future__ import annotations

import builtins
from collections.abc import Callable

from dtlint.ir import nodes as ir
from dtlint.machine.control.turns import joined_after
from dtlint.machine.core import Machine, limited
from dtlint.machine.logs import CAUGHT, Log, Place
from dtlint.machine.names import classes
from dtlint.machine.names.frames import Frame, TryState
from dtlint.machine.values import ClassRef, External, Object, Tuple, Unknown, Value

EVERYTHING = frozenset({"Exception", "BaseException"})


def run_body(machine: Machine, node: ir.Try, mask: int) -> tuple[int, TryState]:
    """The lanes that come to its end, and who went to one of its handlers instead."""
    return run_within(machine, node, lambda: machine.run(node.body, mask))


def suppressing(context: ir.Expr) -> ir.Try | None:
    """`with suppress(KeyError, ValueError):` is a `try` whose handler does nothing."""
    if not isinstance(context, ir.Call):
        return None
    nothing = ir.Handler(ir.Tup(context.args), None, (ir.Pass(context.at),), False, context.at)
    return ir.Try((), (nothing,), (), (), context.at)


def run_within(machine: Machine, node: ir.Try, body: Callable[[], int]) -> tuple[int, TryState]:
    frame = machine.frame
    state = TryState(node, len(frame.loops), len(frame.exits))
    if not node.handlers:
        return body(), state
    machine.trying += 1
    frame.tries.append(state)
    try:
        return body(), state
    finally:
        frame.tries.pop()
        machine.trying -= 1


def away(frame: Frame) -> int:
    """How many sides of branches have left for somewhere further."""
    turns = sum(len(one.leavings) for one in frame.loops[-1:])
    return len(frame.leavings) + turns + sum(len(one.leavings) for one in frame.tries[-1:])


def go_on(machine: Machine, state: TryState, before: list[tuple[Log, int]], gone: int) -> int:
    """Behind the `try`, those that were caught go on with the others; all of them, where nobody left further."""
    frame = machine.frame
    if state.leavings:
        back = [sink for leaving in state.leavings for sink in leaving.sinks]
        machine.sinks = before if away(frame) == gone else limited([*machine.sinks, *back], before)
        joined_after(machine, state.leavings)
    return state.caught & ~frame.left


def raised(machine: Machine, value: Value, at: Place, mask: int) -> int | None:
    """Go on in the handler that catches this; None where no `try` of this function surely does."""
    frame = machine.frame
    for depth in range(len(frame.tries) - 1, -1, -1):
        state = frame.tries[depth]
        if state.loops != len(frame.loops):
            return None  # out of a loop as well
        sure, handler = handler_for(machine, state.node, value, mask)
        if handler is not None:
            return handled(machine, depth, handler, value, at, mask)
        if not sure:
            return None
    return None


def handled(machine: Machine, depth: int, handler: ir.Handler, value: Value, at: Place, mask: int) -> int:
    frame = machine.frame
    inner = frame.tries[depth:]
    del frame.tries[depth:]
    try:
        if handler.name:
            machine.assign(handler.name, value if isinstance(value, Object) else machine.fresh("exception"), mask)
        through = machine.run(handler.body, mask)
    finally:
        frame.tries += inner
    if through:
        frame.last_exit = (CAUGHT, at)
        for one in inner[:1]:
            one.caught |= through
    return 0


def handler_for(machine: Machine, node: ir.Try, value: Value, mask: int) -> tuple[bool, ir.Handler | None]:
    """Is it sure who catches this, and who does?"""
    names = family(machine, value)
    for handler in node.handlers:
        if handler.types is None:
            return True, handler
        kinds = machine.evaluate(handler.types, mask)
        for kind in kinds.items if isinstance(kinds, Tuple) else (kinds,):
            name = own_name(kind)
            if name is None or not names:
                return False, None
            if name in names or (isinstance(name, str) and name in EVERYTHING):
                return True, handler
    return None not in names, None


def family(machine: Machine, value: Value) -> frozenset[object]:
    """An exception's class and all above it; None among them where something of a library is."""
    kind = getattr(value, "kind", value) if isinstance(value, Object | ClassRef | External) else value
    name = str(value.symbol.key[0]) if isinstance(value, Unknown) else None
    above = classes.linearise(machine, kind) if isinstance(kind, ClassRef) else [External(name) if name else kind]
    found: set[object] = set()
    for one in map(own_name, above):
        builtin = getattr(builtins, one, None) if isinstance(one, str) else None
        found |= {base.__name__ for base in builtin.__mro__} if isinstance(builtin, type) else {one}
    return frozenset(found)


def own_name(kind: Value) -> object:
    """What tells one exception class from the others: the class itself, or its name among Python's own."""
    if isinstance(kind, ClassRef):
        return kind
    return kind.name.removeprefix("builtins.") if isinstance(kind, External) and "builtins." in kind.name else None
