"""What does a `with` statement do: who goes in, who comes out, and what does a context manager do on both sides?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node
from dtlint.machine import library
from dtlint.machine.control.attempts import exception_names
from dtlint.machine.core import Machine
from dtlint.machine.functions import calls
from dtlint.machine.functions.kept_callables import may_communicate
from dtlint.machine.lanes import lanes_in, row
from dtlint.machine.library import contexts
from dtlint.machine.library.python.generators import is_generator
from dtlint.machine.logs import CAUGHT, Attempt, Call, Decision, Event, Guards, HandlerLog, Log, LogNode, decisions
from dtlint.machine.names import attributes, classes
from dtlint.machine.names.assignment import assign_target
from dtlint.machine.names.frames import Write
from dtlint.machine.names.scopes import load_module
from dtlint.machine.twins import one_thing
from dtlint.machine.values import (
    MISSING,
    NONE,
    Cause,
    ClassRef,
    External,
    FunctionRef,
    Object,
    Row,
    Trail,
    Value,
    lane_value,
)
from dtlint.machine.walks import walk

CLASS_QUESTIONS = ("isinstance", "issubclass")


def run_with(machine: Machine, node: ir.With, mask: int) -> int:
    return enter_item(machine, node, 0, mask)


def enter_item(machine: Machine, node: ir.With, index: int, mask: int) -> int:
    if index == len(node.items):
        return machine.run(node.body, mask)
    expression, target = node.items[index]
    manager = machine.evaluate(expression, mask)
    mask &= ~machine.frame.left
    if not mask:
        return 0
    machine.current_at = node.at

    def inner(value: Value, lanes: int) -> int:
        if target is not None:
            assign_target(machine, target, value, lanes)
        return enter_item(machine, node, index + 1, lanes)

    if isinstance(manager, Object) and manager.kind == "<generator>":
        return with_generator(machine, manager, mask, inner)
    if isinstance(manager, Object) and isinstance(manager.kind, ClassRef) and not as_inherited(machine, manager):
        return with_instance(machine, manager, mask, inner)
    if isinstance(manager, Row) and any(may_talk(machine, held) for held in manager.lanes):
        return with_sides(machine, manager, expression, mask, inner)
    if isinstance(manager, Row) and any(map(of_project, manager.lanes)):
        return with_each(machine, manager, mask, inner)
    return library.contexts.run_context(machine, manager, expression, mask, inner, node.at)


def with_generator(machine: Machine, manager: Object, mask: int, inner: Any) -> int:
    """A `@contextmanager` of the project: its code before the yield, the body, its code after."""
    alone = indifferent(machine, manager, mask)
    if alone is not None:
        calls.resume(machine, manager, mask, lambda value, lanes: NONE)  # what it keeps for itself
        through: int = inner(alone, mask)
        return through & ~machine.frame.left
    frame = machine.frame
    result = {"lanes": 0, "met": 0, "times": 0}
    done: list[Done] = []

    def body(value: Value, lanes: int) -> Value | None:
        generator_frame = machine.frame
        machine.frame = frame
        saved = frame.guards
        if lanes != mask:
            # only some lanes get to the yield: the others leave the with statement by an exception
            for decision in decisions(generator_frame.guards):
                frame.guards = Guards(decision, frame.guards)
                break
        try:
            before = next((one for one in done if one.lanes == lanes and one.value == value), None)
            if before is not None:
                again(machine, before)
            frame.exits.append(lambda gone: go_on_behind(machine, manager, gone))
            result["lanes"] |= lanes if before is not None else once(machine, value, lanes, inner, done)
            frame.exits.pop()
            result["met"] |= lanes
            result["times"] += 1
        finally:
            machine.frame = generator_frame
            frame.guards = saved
        return NONE

    ways_out = [frame.leavings, *(loop.leavings for loop in frame.loops[-1:])]
    known = [len(leavings) for leavings in ways_out]
    calls.resume(machine, manager, mask, body)
    for leavings, before in zip(ways_out, known, strict=True):
        for leaving in leavings[before:]:
            gone = leaving.mask & result["lanes"] & ~frame.left
            if gone and not leaving.inner:
                machine.part(leaving.decision, gone)  # what follows is for those that have not left the body
    if not result["met"]:
        return inner(NONE, mask)
    if result["times"] > 1 and result["met"] == mask:
        made_alike(machine, mask)
    return (result["lanes"] | (mask & ~result["met"])) & ~frame.left


def indifferent(machine: Machine, manager: Object, mask: int) -> Value | None:
    """`if rank == 0: print(…); yield; print(…) else: yield`: what it gives, where it does nothing that the others or
    the body could notice. Then all lanes do the body together, whichever yield each of them comes to."""
    function = manager.facts["function"]
    inside = list(every_node(function.node.body, (ir.Function, ir.Class)))
    if sum(isinstance(node, ir.Yield) for node in inside) < 2 or any(isinstance(node, ir.Try) for node in inside):
        return None
    frame, sinks, mark = machine.frame, machine.sinks, len(machine.journal)
    left, leavings, said, given = frame.left, len(frame.leavings), Log(), list[tuple[Value, int]]()

    def noted(value: Value, lanes: int) -> Value:
        given.append((value, lanes))
        return NONE

    machine.sinks = [(said, mask)]
    calls.resume(machine, manager, mask, noted)
    machine.rollback(mark)
    del frame.leavings[leavings:]
    frame.left, machine.sinks = left, sinks
    quiet = not any(isinstance(node, Event) for node, _ in walk(said))
    whole = sum(lanes for _, lanes in given) == mask and all(value == given[0][0] for value, _ in given)
    return given[0][0] if given and quiet and whole else None


def go_on_behind(machine: Machine, manager: Object, lanes: int) -> None:
    """What the generator does after its yield, for lanes that leave the body early."""
    frame, sinks, mark = machine.frame, machine.sinks, len(machine.journal)
    left, leavings = frame.left, len(frame.leavings)
    apart, yields = Log(), []

    def resumed(value: Value, held: int) -> Value:
        inside = machine.sinks[0][0]
        yields.append((inside, len(inside.nodes)))
        return NONE

    machine.sinks = [(apart, lanes)]
    calls.resume(machine, manager, lanes, resumed)
    machine.rollback(mark)
    del frame.leavings[leavings:]
    frame.left, machine.sinks = left, sinks
    call = apart.nodes[-1] if apart.nodes else None
    if len(yields) == 1 and isinstance(call, Call):
        call.log.nodes = behind(call.log, *yields[0])
        if call.log.nodes:
            machine.emit(call)


def behind(log: Log, inside: Log, before: int) -> list[LogNode]:
    """What stands in a log after so many nodes of it, or of the `try` in it. The `finally` of this `try` is not told
    again: all that have come to its body go by it, whichever way they leave."""
    if log is inside:
        return log.nodes[before:]
    for index, node in enumerate(log.nodes):
        if isinstance(node, Attempt) and node.body is inside:
            return [*inside.nodes[before:], *log.nodes[index + 1 :]]
    return []


@dataclass(frozen=True, slots=True)
class Done:
    """What the body of a `with` did that all lanes came through."""

    value: Value
    lanes: int
    nodes: list[LogNode]
    writes: list[Write]


def once(machine: Machine, value: Value, lanes: int, inner: Any, done: list[Done]) -> int:
    """A generator with a yield on each side of its branches: whichever it is, the body does the same there."""
    frame, sinks, mark = machine.frame, machine.sinks, len(machine.journal)
    left = frame.left, len(frame.leavings), len(frame.ended)
    log = next((log for log, mask in sinks if mask & lanes == lanes), None)
    begin = len(log.nodes) if log is not None else 0
    through: int = inner(value, lanes)
    stayed = through == lanes and machine.sinks == sinks and left == (frame.left, len(frame.leavings), len(frame.ended))
    if stayed and log is not None:
        written = {(id(container), name): (container, name) for container, name, _ in machine.journal[mark:]}
        writes = [(*place, place[0].get(place[1], MISSING)) for place in written.values()]
        done.append(Done(value, lanes, log.nodes[begin:], writes))
    return through


def again(machine: Machine, done: Done) -> None:
    machine.apply_writes(done.writes)
    machine.heap_writes += 1
    machine.oldest_write = 0
    for node in done.nodes:
        machine.emit(node)


def made_alike(machine: Machine, mask: int) -> None:
    """All lanes did the body, one after the other at yields of their own: what they made there is one thing."""
    variables = machine.frame.variables
    for name, held in tuple(variables.items()):
        if isinstance(held, Row) and one_thing(held.lanes):
            machine.store(variables, name, held.lanes[0], mask, mask)


def as_inherited(machine: Machine, manager: Object) -> bool:
    """`class Protected(FileLock)`, which goes in and out as the library has it."""
    enters = attributes.in_class(machine, manager.kind, "__enter__") if isinstance(manager.kind, ClassRef) else None
    return "context" in manager.facts and not isinstance(enters, FunctionRef)


def with_instance(machine: Machine, manager: Object, mask: int, inner: Any) -> int:
    value: Value = manager
    assert isinstance(manager.kind, ClassRef)
    enter, leave = (
        classes.in_class(machine, manager.kind, f"__{way}__") or classes.in_class(machine, manager.kind, f"__a{way}__")
        for way in ("enter", "exit")
    )
    if enter is not None:
        value = calls.call_value(machine, attributes.bind(machine, enter, manager, mask), (), (), mask)
    if isinstance(leave, FunctionRef):
        machine.consult(leave)
    if not isinstance(leave, FunctionRef) or not may_communicate(machine, leave, manager):
        at, lanes = machine.current_at, mask & ~machine.frame.left
        types = kept_back(machine, leave) if isinstance(leave, FunctionRef) else ()
        if types:
            through: int = contexts.suppress(machine, types, lanes, lambda _, inside: inner(value, inside), at)
        else:
            through = inner(value, lanes)
        if leave is not None and through:
            calls.call_value(machine, attributes.bind(machine, leave, manager, mask), (NONE, NONE, NONE), (), through)
        return through & ~machine.frame.left
    bound = attributes.bind(machine, leave, manager, mask)

    def leave_by(given: tuple[Value, ...], lanes: int) -> None:
        calls.call_value(machine, bound, given, (), lanes)

    return with_final(machine, mask, lambda lanes: inner(value, lanes), leave_by)


def kept_back(machine: Machine, leave: FunctionRef) -> tuple[str, ...]:
    """The exceptions that do not come out of the `with`: `__exit__` asks for their class, and says True."""
    inside = list(every_node(leave.node.body, (ir.Function, ir.Class)))
    answers = [node.value for node in inside if isinstance(node, ir.Return)]
    if not any(is_true(answer) or any(map(asks_class, every_node(answer))) for answer in answers):
        return ()
    outside, machine.frame = machine.frame, load_module(machine, leave.path)
    kinds = [machine.evaluate(node.args[1], machine.world.full) for node in inside if asks_class(node)]
    machine.frame = outside
    last = leave.node.body[-1] if isinstance(leave.node, ir.Function) else None
    whatever = isinstance(last, ir.Return) and is_true(last.value)
    return ("Exception",) if whatever else tuple(name for kind in kinds for name in exception_names(kind))


def is_true(answer: ir.Expr | None) -> bool:
    return isinstance(answer, ir.Const) and answer.value is True


def asks_class(node: Any) -> bool:
    """`issubclass(kind, OutOfMemoryError)`"""
    named = isinstance(node, ir.Call) and isinstance(node.func, ir.Name) and node.func.id in CLASS_QUESTIONS
    return named and len(node.args) == 2


def with_each(machine: Machine, managers: Row, mask: int, inner: Any) -> int:
    """`with Timer() if rank == 0 else nullcontext():`: who holds a manager goes in and out by it, around one body."""
    at = machine.current_at
    enter, leave = (
        Row(tuple(way_of(machine, manager, way, mask) for manager in managers.lanes), managers.cause)
        for way in ("enter", "exit")
    )
    given = calls.call_value(machine, enter, (), (), mask)
    if any(map(contexts.is_nothing, managers.lanes)):
        lanes = (
            contexts.entered(held) if contexts.is_nothing(held) else lane_value(given, lane)
            for lane, held in enumerate(managers.lanes)
        )
        given = row(tuple(lanes), managers.cause)
    through: int = inner(given, mask & ~machine.frame.left)
    machine.current_at = at
    if through:
        calls.call_value(machine, leave, (NONE, NONE, NONE), (), through)
    return through & ~machine.frame.left


def with_sides(machine: Machine, managers: Row, expression: ir.Expr, mask: int, inner: Any) -> int:
    """`with announced() if rank == 0 else nullcontext():` of a `@contextmanager`: one body for each of them."""
    frame, at = machine.frame, machine.current_at
    through = 0
    for first in lanes_in(mask):
        manager = managers.lanes[first]
        lanes = sum(1 << lane for lane in lanes_in(mask) if managers.lanes[lane] is manager)
        if lanes & -lanes != 1 << first:
            continue
        decision = Decision("branch", frame.path, at, WHICH, managers.cause, lanes, mask, frame.scope)

        def side(manager: Value = manager, lanes: int = lanes) -> int:
            machine.current_at = at
            if is_generator(manager):
                return with_generator(machine, manager, lanes, inner)
            if isinstance(manager, Object) and of_project(manager):
                return with_instance(machine, manager, lanes, inner)
            return library.contexts.run_context(machine, manager, expression, lanes, inner, at)

        through |= machine.guarded(decision, side) or 0
    return through & ~frame.left


def may_talk(machine: Machine, manager: Value) -> bool:
    """A `@contextmanager` with something in it that other ranks may notice."""
    if not is_generator(manager):
        return False
    facts = manager.facts
    given = (*facts["arguments"], *(value for _, value in facts["keywords"]))
    return may_communicate(machine, facts["function"], facts["receiver"], given)


WHICH = "which context it is"


def of_project(manager: Value) -> bool:
    return isinstance(manager, Object) and isinstance(manager.kind, ClassRef)


def way_of(machine: Machine, manager: Value, way: str, mask: int) -> Value:
    """The method of an instance of the project; what a library does there says nothing to the other ranks."""
    if isinstance(manager, Object) and isinstance(manager.kind, ClassRef):
        found = classes.in_class(machine, manager.kind, f"__{way}__")
        if found is not None:
            return attributes.bind(machine, found, manager, mask)
    return External("builtins.id")


NO_FAILURE = (NONE, NONE, NONE)  # what `__exit__` is given where nothing was raised


def with_final(
    machine: Machine, mask: int, inner: Callable[[int], int], leave: Callable[[tuple[Value, ...], int], None]
) -> int:
    """A context manager whose way out may communicate: a rank that fails in the body takes it alone. `leave` takes what
    `__exit__` is given, and the lanes."""
    frame = machine.frame
    at = machine.current_at
    attempt = Attempt(frame.path, at, mask, frame.guards, frame.scope, "with")
    outer, guards = machine.sinks, frame.guards
    machine.emit(attempt)
    inside = [(attempt.body, mask)]
    machine.sinks = inside
    last_exit, frame.last_exit = frame.last_exit, ("", None)
    frame.exits.append(lambda gone: leave(NO_FAILURE, gone))
    through = inner(mask & ~frame.left)
    frame.exits.pop()
    word = frame.last_exit[0]
    gone = mask & ~frame.left & ~through if word in ("return", "break", "continue", CAUGHT) else 0
    if not word:
        frame.last_exit = last_exit
    if through | gone:  # `return` out of the body goes by here, too
        machine.current_at = at
        leave(NO_FAILURE, through | gone)
    if machine.sinks != inside:
        # a side of a choice left the body: what follows belongs to the side that stayed
        after = [*((log, lanes & ~mask) for log, lanes in outer if lanes & ~mask), *machine.sinks]
    else:
        after = outer
    log = HandlerLog(("BaseException",), at, False)
    log.exit = "raise"
    attempt.handlers.append(log)
    cause = Cause("exception", Trail(machine.step("one rank may fail in the body, and leaves it here alone", at)))
    decision = Decision("handler", frame.path, at, "a failure in the body", cause, mask, mask, frame.scope)
    saved_guards, saved_left, leavings = frame.guards, frame.left, len(frame.leavings)
    frame.guards, machine.sinks = Guards(decision, guards), [(log.log, mask)]
    mark = len(machine.journal)
    given = (External("builtins.Exception"), machine.new("builtins.Exception", mask), machine.new("<traceback>", mask))
    leave(given, mask)
    machine.rollback(mark)
    del frame.leavings[leavings:]
    frame.guards, frame.left, machine.sinks = saved_guards, saved_left, after
    return through & ~frame.left
