"""What do loops and comprehensions do at every `yield` of a generator of the project that they walk over?"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from dtlint.ir import nodes as ir
from dtlint.machine import library
from dtlint.machine.contents import containers
from dtlint.machine.control.loop_ends import broken, otherwise
from dtlint.machine.control.turns import merge_leavings, rejoin
from dtlint.machine.core import Machine
from dtlint.machine.library.python.generators import asked_for_some, is_generator
from dtlint.machine.logs import Guards
from dtlint.machine.names.assignment import assign_target
from dtlint.machine.names.frames import LoopState
from dtlint.machine.values import Const, Object, Tuple, Value

Given = Callable[[Value, int], Value]  # what the loop's target gets for something the generator yields


def walked(machine: Machine, iterable: Value, mask: int) -> tuple[Object, Given] | None:
    """The generator that is run for what is walked over, and what comes of each thing that it yields."""
    if is_generator(iterable):
        return iterable, lambda given, lanes: given
    return beside(machine, iterable, mask)


def beside(machine: Machine, value: Value, mask: int) -> tuple[Object, Given] | None:
    """`enumerate(project_generator())`, `zip(range(steps), thing_with_generator_for_iter)`"""
    if not isinstance(value, Object) or value.kind not in ("<enumerate>", "<zip>"):
        return None
    walks = [library.reading.iterated(machine, one, mask) for one in value.facts.get("inner", ())]
    generator = next((one for one in walks if is_generator(one)), None)
    if generator is None:
        return None
    if value.kind == "<enumerate>":
        return generator, numbered(machine, value.facts.get("start", Const(0)), mask)
    ranges = [one for one in walks if isinstance(one, Object) and one.kind == "builtins.range"]
    if len(ranges) + 1 != len(walks):
        return None  # a loader or the like beside it is what is walked over

    def zipped(given: Value, lanes: int) -> Value:
        return Tuple(
            tuple(given if one is generator else library.reading.element(machine, one, lanes) for one in walks)
        )

    ends_alike = any(one.attributes["count"].cause is None for one in ranges)
    return (asked_for_some(machine, generator, mask) if ends_alike else generator), zipped


def numbered(machine: Machine, start: Value, mask: int) -> Given:
    """As long as it is known that each `yield` is come to, once."""
    numbers = count(start.value) if isinstance(start, Const) and type(start.value) is int else None

    def one(given: Value, lanes: int) -> Value:
        nonlocal numbers
        frame = machine.frame  # of the generator
        if lanes != mask or frame.choices or not frame.one_by_one:
            numbers = None
        return Tuple((machine.fresh("index") if numbers is None else Const(next(numbers)), given))

    return one


def run_loop(machine: Machine, node: ir.For, generator: Object, given: Given, mask: int) -> int:
    """`for x in project_generator():` runs the loop's body at every yield of the generator."""
    from dtlint.machine.functions import calls

    frame = machine.frame
    state = LoopState()
    newest = machine.objects
    outer = frame.guards
    frame.loops.append(state)

    def body(value: Value, lanes: int) -> Value | None:
        inner = machine.frame
        depth = len(machine.uneven)
        part = containers.taken_apart(machine, newest)
        if part is not None and part.uneven is not None:  # some ranks are given more
            machine.uneven.append((newest, part.uneven, part.marks))
        state.item = given(value, lanes)
        machine.frame = frame
        saved = frame.guards
        frame.guards = below(inner.guards, saved)
        try:
            assign_target(machine, node.target, state.item, lanes)
            sinks, away = machine.sinks, len(frame.leavings) + len(state.leavings)
            state.mark = len(machine.journal)
            library.noticing.turn_ends(machine, machine.run(node.body, lanes))
            rejoin(machine, state, "continue", sinks, away)
            merge_leavings(machine, state, "continue")
        finally:
            machine.frame = inner
            frame.guards = saved
            del machine.uneven[depth:]
        return None

    try:
        calls.resume(machine, generator, mask, body)
    finally:
        frame.loops.pop()
        frame.guards = outer
    merge_leavings(machine, state, "continue")
    ended = broken(state, mask)
    merge_leavings(machine, state, "break")
    staying = mask & ~frame.left
    if node.orelse and staying:
        staying = otherwise(machine, node, staying, ended)
    return staying


def below(guards: Guards | None, outer: Guards | None) -> Guards | None:
    """What leads to a `yield` leads to what is done with the thing that is yielded."""
    return outer if guards is None else Guards(guards.decision, below(guards.outer, outer))


def run_clause(
    machine: Machine, target: ir.Expr, generator: Object, given: Given, mask: int, body: Callable[[int], object]
) -> list[containers.Apart]:
    """`[… for x in project_generator()]` runs the body at every yield; why the lanes take other items, is told."""
    from dtlint.machine.functions import calls

    frame = machine.frame
    apart: list[containers.Apart] = []

    def one(value: Value, lanes: int) -> None:
        inner = machine.frame
        part = containers.taken_apart(machine, frame.variables.newer)
        if part is not None:
            apart.append(part)
        item = given(value, lanes)
        machine.frame = frame
        try:
            assign_target(machine, target, item, lanes)
            body(lanes)
        finally:
            machine.frame = inner

    calls.resume(machine, generator, mask, one)
    return apart
