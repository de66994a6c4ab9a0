"""What does an `ExitStack` do at its end, and on which ranks?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.python import generators
from dtlint.machine.logs import decisions
from dtlint.machine.names import classes
from dtlint.machine.values import NONE, Bound, ClassRef, FunctionRef, Object, Tuple, Value

STACK = "contextlib.ExitStack"
EXITS = "exits"  # fact: what is called at the end, where it was asked for, by which lanes, below which branch
LEAVING = "leaving a stack"  # fact of the run: the places of the calls that asked for something at the end
TOLD: tuple[Value, ...] = (NONE,)  # stands for what `__exit__` is told of the failure
AROUND = "around"  # fact: the branches around the `with` itself


def run_stack(machine: Machine, stack: Object, mask: int, inner: Callable[[Value, int], int]) -> int:
    """`with ExitStack() as stack:`: last in, first out, each on the ranks that put it there. A rank that fails in the
    body goes that way alone."""
    from dtlint.machine.control import with_statements

    stack.facts[EXITS], stack.facts[AROUND] = [], {id(one) for one in decisions(machine.frame.guards)}
    return with_statements.with_final(
        machine, mask, lambda lanes: inner(stack, lanes), lambda failure, lanes: unwind(machine, stack, failure, lanes)
    )


def unwind(machine: Machine, stack: Object, failure: tuple[Value, ...], mask: int) -> None:
    from dtlint.machine.functions import calls

    for call, place, lanes, decision in reversed(stack.facts[EXITS]):
        function, arguments, keywords = call
        if place[0] == machine.frame.path:
            machine.current_at = place[1]
            machine.facts.setdefault(LEAVING, set()).add(place)
        left = lanes & mask

        def leave(function: Value = function, left: int = left, given: Any = (arguments, keywords)) -> int:
            calls.call_value(machine, function, failure if given[0] is TOLD else given[0], given[1], left)
            return left

        if left and decision is not None:
            machine.guarded(decision, leave)
        elif left:
            leave()


def callback(machine: Machine, call: Invocation) -> Value:
    """`stack.callback(function, *arguments)`"""
    if not call.arguments:
        return NONE
    function, *rest = call.arguments
    later(machine, call, function, tuple(rest), call.keywords)
    return function


def enter(machine: Machine, call: Invocation) -> Value | None:
    """`stack.enter_context(manager)`"""
    from dtlint.machine.functions import calls

    manager = call.arguments[0] if call.arguments else NONE
    if generators.is_generator(manager):
        generators.listed(machine, manager, call.mask)
        given = manager.attributes.get("[]")
        return given.items[0] if isinstance(given, Tuple) and given.items else None
    if not isinstance(manager, Object) or not isinstance(manager.kind, ClassRef):
        return manager if isinstance(manager, Object) else None
    begin, end = (classes.in_class(machine, manager.kind, name) for name in ("__enter__", "__exit__"))
    if isinstance(end, FunctionRef):
        later(machine, call, Bound(end, manager), TOLD, ())
    if isinstance(begin, FunctionRef):
        return calls.follow(machine, begin, manager, (), (), call.mask)
    return manager


def later(machine: Machine, call: Invocation, function: Value, arguments: tuple[Value, ...], keywords: Any) -> None:
    stack = call.receiver
    if not isinstance(stack, Object) or EXITS not in stack.facts:
        return
    own = [one for one in decisions(machine.frame.guards) if id(one) not in stack.facts[AROUND]]
    own = [one for one in own if one.kind != "loop" or one.cause is not None]  # once stands for as often as it turns
    if any(one.taken == one.before for one in own):
        return  # whether it is asked for at all, nobody knows
    place = (machine.frame.path, machine.current_at)
    stack.facts[EXITS].append(((function, arguments, keywords), place, call.mask, own[0] if own else None))


MODELS = {"exit_callback": callback, "exit_enter": enter}
