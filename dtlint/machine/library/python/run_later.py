"""What is run later, by somebody else: hooks, handlers of signals, what ends with the program, functions given away?"""

from __future__ import annotations

import re
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node
from dtlint.machine.contents import filled_by
from dtlint.machine.core import Machine
from dtlint.machine.library.drawing import seeds
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.python.given_away import called_by_somebody
from dtlint.machine.logs import Attempt, Decision, Guards, HandlerLog
from dtlint.machine.names import classes
from dtlint.machine.values import (
    NONE,
    Bound,
    ClassRef,
    External,
    FunctionRef,
    Object,
    Unknown,
    Value,
)

GIVEN = "called"  # word of the question whether somebody unknown calls a function that was given away
STRIKING = "raised by signals"  # fact: exceptions of the program's own that come to a rank wherever it is, and why


def later(
    machine: Machine,
    function: Value,
    mask: int,
    kind: str,
    text: str,
    cause: str,
    given: tuple[Value, ...] | None = None,
) -> None:
    """A function some rank runs at a time of its own (a signal, the end of the process): what it says it says alone,
    and what it writes differs from rank to rank. A handler is given what handlers of signals get, unless it is said."""
    from dtlint.machine.functions import calls

    frame = machine.frame
    at = machine.current_at
    attempt = Attempt(frame.path, at, mask, frame.guards, frame.scope, kind)
    log = HandlerLog((text,), at, False)
    attempt.handlers.append(log)
    why = machine.cause(cause, f"{text} comes to each rank at a time of its own")
    decision = Decision("handler", frame.path, at, text, why, mask, mask, frame.scope)
    guards, mark = frame.guards, len(machine.journal)
    if given is None:
        usual = (machine.fresh("signal", why), machine.fresh("frame"), machine.fresh("trace"))
        given = usual[: arity(machine, function)]
    raised = len(machine.raised)
    with machine.beside(log.log, mask):
        frame.guards = Guards(decision, guards)
        calls.call_value(machine, function, given, (), mask)
        frame.guards = guards
    machine.facts.setdefault(STRIKING, []).extend(machine.raised[raised:] if kind == "signal" else ())
    writes = machine.rollback(mark)
    machine.join_writes(writes, [], machine.symbols.fresh(kind), why, mask)
    if log.log.nodes:
        machine.emit(attempt)


def arity(machine: Machine, function: Value) -> int:
    inner = function.function if isinstance(function, Bound) else function
    params = getattr(getattr(called(machine, inner), "node", None), "params", ())
    bound = isinstance(inner, Object) or (isinstance(function, Bound) and function.receiver is not None)
    return len(params) - bound


def called(machine: Machine, value: Value | None) -> Value | None:
    """What runs when this is called: of an object of the program, its `__call__`."""
    if isinstance(value, Object) and isinstance(value.kind, ClassRef):
        return classes.in_class(machine, value.kind, "__call__")
    return value


def project_function(machine: Machine, value: Value | None) -> bool:
    inner = value.function if isinstance(value, Bound) else value
    return isinstance(called(machine, inner), FunctionRef)


def hook_written(machine: Machine, base: Value, name: str, value: Value, mask: int) -> None:
    """`sys.excepthook = told`: what runs when this process fails."""
    row = machine.knowledge.apis.get(f"{base.name}.{name}") if isinstance(base, External) else None
    if row is not None and row.extra.get("hook") and project_function(machine, value):
        later(machine, value, mask, "exit", f"`{name}`", "exception")


def signal_handler(machine: Machine, call: Invocation) -> Value:
    handler = call.get("handler")
    if handler is not None and project_function(machine, handler):
        later(machine, handler, call.mask, "signal", "a signal", "signal")
    return machine.unknown("handler before", id(call.node))


def at_exit(machine: Machine, call: Invocation) -> Value:
    """`atexit.register(f)`: a rank that fails runs it alone."""
    function = call.arguments[0] if call.arguments else NONE
    if project_function(machine, function):
        given = Bound(function, None, call.arguments[1:], call.keywords)  # type: ignore[arg-type]
        later(machine, given, call.mask, "exit", "the end of the process", "exception")
    return function


def when_collected(machine: Machine, call: Invocation) -> None:
    """`weakref.finalize(thing, f, *arguments)`: a rank that collects its garbage runs it alone."""
    function = call.arguments[1] if len(call.arguments) > 1 else NONE
    if project_function(machine, function):
        given = Bound(function, None, call.arguments[2:], call.keywords)  # type: ignore[arg-type]
        later(machine, given, call.mask, "finaliser", "`weakref.finalize`", "exception", ())


def finalised(machine: Machine, thing: Object, mask: int) -> None:
    """`__del__` of a project class runs when a rank collects its garbage."""
    assert isinstance(thing.kind, ClassRef)
    method = classes.in_class(machine, thing.kind, "__del__")
    if not isinstance(method, FunctionRef):
        return
    machine.consult(method)
    if not method.node.tokens.isdisjoint(machine.interesting):
        later(machine, Bound(method, thing), mask, "finaliser", "`__del__`", "exception")


def walked_through(machine: Machine, call: Invocation) -> None:
    """A generator of the project is given to somebody unknown: it is for walking through, on the ranks that give it."""
    for value in call.values:
        if isinstance(value, Object) and value.kind == "<generator>" and len(machine.stack) <= 12:
            from dtlint.machine.functions import calls

            calls.resume(machine, value, call.mask, lambda held, lanes: None)


def handed_over(machine: Machine, call: Invocation) -> None:
    """A function of the project is given to somebody unknown, who may call it: on the ranks that hand it over. A
    generator is walked through. Whoever it is may also seed the generators, if the name says so."""
    seeds.foreign(machine, call)
    walked_through(machine, call)
    filled_by.handed_over(machine, call.values, call.mask)
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
        if nested and called_below(machine, inner):
            continue
        if nested or call.mask != machine.world.full:
            may_call(machine, value, node, call.mask)


def called_below(machine: Machine, inner: FunctionRef) -> bool:
    """`@named_jit(donate=True) def again(model): …`, and `again(model)` below: a decorator that nobody knows keeps what
    it is given, and who calls that is seen."""
    around = machine.frame.function
    if machine.decorating != len(machine.stack) or around is None or not isinstance(around.node, ir.Function):
        return False
    calls = (one.func for one in every_node(around.node.body) if isinstance(one, ir.Call))
    name = inner.name.rpartition(".")[2]
    return any(isinstance(one, ir.Name) and one.id == name for one in calls)


def unguarded(value: Value) -> Value:
    """The function itself, whatever it is bound to and whoever may run it."""
    while isinstance(value, Bound):
        made = value.extra[0] if value.extra else None
        guard = isinstance(made, Object) and made.kind == "<guarded>"
        value = made.facts["function"] if guard and isinstance(made, Object) else value.function
    return value


def anew(machine: Machine, value: Value) -> Value:
    if not isinstance(value, Unknown):
        return value
    return Unknown(machine.symbols.fresh("given"), value.cause, value.tags, value.like)


def may_call(machine: Machine, function: Value, node: Any, mask: int) -> None:
    from dtlint.machine.control.branches import choose
    from dtlint.machine.functions import calls
    from dtlint.machine.starts import entries

    def inside(lanes: int) -> int:
        if isinstance(node, ir.Function):
            bound = isinstance(function, Bound) and function.receiver is not None
            arguments = entries.unknown_arguments(machine, node, bound)
        else:
            arguments = tuple(machine.unknown("argument", id(node), param.name) for param in node.params)
        if machine.flow is not None:  # a library that calls it twice gives other keys the second time
            arguments = tuple(anew(machine, value) for value in arguments)
        with called_by_somebody(machine):
            answer = calls.call_value(machine, function, arguments, (), lanes)
            if isinstance(answer, Object) and answer.kind == "<generator>":
                calls.resume(machine, answer, lanes, lambda held, some: None)
        return lanes

    symbol = machine.symbols.fresh(GIVEN)
    choose(
        machine, mask, None, symbol, machine.current_at, lambda: "a function given away", inside, lambda lanes: lanes
    )


def names_in(node: ir.Function | ir.Lambda) -> frozenset[str]:
    tokens = getattr(node, "tokens", None)
    if tokens is not None:
        return frozenset(tokens)
    from dtlint.machine.names.expressions import text_of

    return frozenset(re.findall(r"\w+", text_of(node.body)))


MODELS: dict[str, Any] = {
    "signal_handler": signal_handler,
    "at_exit": at_exit,
}
