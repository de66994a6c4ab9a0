"""What do comprehensions give, and what do generators do while they are walked?"""

from __future__ import annotations

from typing import Any

from dtlint.ir import nodes as ir
from dtlint.machine import containers, library
from dtlint.machine.assignment import assign_target
from dtlint.machine.core import Machine
from dtlint.machine.frames import LoopState
from dtlint.machine.items import few, short_items, turns_of, walked
from dtlint.machine.library import provenance, sharding
from dtlint.machine.logs import Decision, Loop
from dtlint.machine.opaque import opaque
from dtlint.machine.turns import merge_leavings, note_items, note_turn, otherwise, perhaps_broken
from dtlint.machine.values import Cause, Object, Symbol, Tuple, Unknown, Value


def generator_call(machine: Machine, value: Value) -> Object | None:
    if isinstance(value, Object) and value.kind == "<generator>":
        return value
    return None


def orders_asked(machine: Machine, condition: ir.Expr, mask: int) -> list[Any]:
    """`[i for i in numbers if i not in held_out]`: what was drawn for `held_out` decides here as well."""

    found = []
    for op, asked in condition.pairs if isinstance(condition, ir.Compare) else ():
        if op in ("in", "not in") and isinstance(asked, ir.Name | ir.Attr):
            found.extend(provenance.marks(machine.evaluate(asked, mask), "order", 2))
    return found


def counted(machine: Machine, value: Value) -> Object | None:
    """`enumerate(project_generator())`"""
    inner = value.facts.get("inner", ()) if isinstance(value, Object) and value.kind == "<enumerate>" else ()
    return generator_call(machine, inner[0]) if inner else None


def run_over_generator(machine: Machine, node: ir.For, generator: Object, mask: int, is_counted: bool = False) -> int:
    """`for x in project_generator():` runs the loop's body at every yield of the generator."""
    from dtlint.machine import calls

    frame = machine.frame
    state = LoopState()
    outer = frame.guards
    frame.loops.append(state)

    def body(value: Value, lanes: int) -> Value | None:
        inner = machine.frame
        machine.frame = frame
        saved = frame.guards
        try:
            given = Tuple((machine.fresh("index"), value)) if is_counted else value
            assign_target(machine, node.target, given, lanes)
            machine.run(node.body, lanes)
        finally:
            machine.frame = inner
            frame.guards = saved
        return None

    try:
        calls.resume(machine, generator, mask, body)
    finally:
        frame.loops.pop()
        frame.guards = outer
    merge_leavings(machine, state, "continue")
    ended = perhaps_broken(state)
    merge_leavings(machine, state, "break")
    staying = mask & ~frame.left
    if node.orelse and staying:
        staying = otherwise(machine, node, staying, ended)
    return staying


def run_comprehension(machine: Machine, node: ir.Comp, mask: int) -> Value:
    """Comprehensions have a scope of their own and run like loops whose body is the element."""
    from dtlint.machine.expressions import text_of
    from dtlint.machine.frames import Frame
    from dtlint.machine.truth import truth

    outer = machine.frame
    frame = Frame(outer.path, outer.scope, outer.globals, outer, outer, mask)
    frame.function = outer.function
    frame.owner = outer.owner
    frame.receiver = outer.receiver
    machine.frame = frame
    collected: list[Value] = []
    uneven: list[Cause] = []
    shares: list[Cause] = []  # why the ranks take different items, though equally many
    marks: set[Any] = set()
    sources: list[Value] = []
    exact = True

    def clause(index: int, lanes: int) -> None:
        nonlocal exact
        if index == len(node.clauses):
            value = machine.evaluate(node.element, lanes)
            if node.key is not None:
                value = Tuple((machine.evaluate(node.key, lanes), value))
            collected.append(value)
            return
        part = node.clauses[index]
        iterable = machine.evaluate(part.iterable, lanes)
        walked(machine, iterable, lanes)
        sources.append(iterable)
        items = containers.items_of(machine, iterable)
        if items is None and isinstance(iterable, Object):
            items = short_items(machine, iterable) or few(iterable)
        if items is not None and len(items) <= 8:
            for item in items:
                assign_target(machine, part.target, item, lanes)
                filtered(part, index, lanes)
            return
        exact = False
        trip, loop_cause = turns_of(machine, iterable, lanes)
        if loop_cause is not None:
            uneven.append(loop_cause)
        decision = Decision(
            "loop",
            frame.path,
            node.at or machine.current_at,
            f"for {text_of(part.target)} in {text_of(part.iterable)}",
            loop_cause,
            lanes,
            lanes,
            frame.scope,
        )
        loop = Loop(decision, lanes, frame.guards, trip, loop_cause, iterable)
        saved = machine.sinks
        machine.sinks = [(loop.body, lanes)]
        first = machine.symbols.count
        assign_target(machine, part.target, library.element(machine, iterable, lanes), lanes)
        note_items(loop, part.target, frame.variables)
        mark = len(machine.journal)
        filtered(part, index, lanes)
        note_turn(machine, loop, mark)
        machine.sinks = saved
        loop.born = (first, machine.symbols.count)
        if loop.body.nodes:
            machine.emit(loop)

    def filtered(part: ir.Clause, index: int, lanes: int) -> None:
        nonlocal exact
        going = lanes
        for condition in part.conditions:
            value = machine.evaluate(condition, going)
            true, false, unsure, cause, _ = truth(machine, value, going)
            if unsure or false:
                exact = exact and not unsure and going in (true, false)
                if cause is not None:
                    skipped = sharding.skipped(machine, cause, sources[-1])
                    (shares if skipped.even else uneven).append(skipped.cause)
                    marks.update(skipped.marks)
                    marks.update(orders_asked(machine, condition, going))
            going = true | unsure
            if not going:
                return
        clause(index + 1, going)

    try:
        clause(0, mask)
    finally:
        machine.frame = outer
        outer.left |= frame.left
    if exact and not uneven and len(collected) <= containers.MANY:
        return finished(machine, node, tuple(collected), mask)
    kind = "list" if node.kind == "generator" else node.kind
    made = machine.new(kind, mask)
    base = opaque(machine, "comprehension", *collected[:4], *sources[:2])
    tags = base.tags | ({containers.UNEVEN} if uneven else frozenset()) | marks
    made.attributes["[]"] = Unknown(
        made_of(machine, node, base, sources),
        uneven[0] if uneven else shares[0] if shares else base.cause,
        tags,
        collected[0] if collected and isinstance(collected[0], Object) else None,
    )
    return made


def made_of(machine: Machine, node: ir.Comp, base: Unknown, sources: list[Value]) -> Symbol:
    """The symbol of what a comprehension gives. One item for each of a source tells its length as well."""
    if len(node.clauses) == 1 and not node.clauses[0].conditions and sources:
        held = sources[0].attributes.get("[]") if isinstance(sources[0], Object) else sources[0]
        if isinstance(held, Unknown):
            return machine.symbols.of("for each", held.symbol, id(node), base.symbol)
    return machine.symbols.of("comprehension", id(node), base.symbol)


def finished(machine: Machine, node: ir.Comp, collected: tuple[Value, ...], mask: int) -> Value:
    if node.kind == "dict":
        made = machine.new("dict", mask)
        for pair in collected:
            assert isinstance(pair, Tuple)
            containers.put(machine, made, pair.items[0], pair.items[1], mask)
        return made
    made = machine.new("set" if node.kind == "set" else "list", mask)
    made.attributes["[]"] = Tuple(collected)
    return made
