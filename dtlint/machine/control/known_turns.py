"""How often does a `while` turn that asks for what is known: `while queue:`, `while state is not None:`?

Turn after turn is run as it comes, on each rank as long as its answer is yes. Where an answer is not known, or a turn
leaves what is asked as it was, nothing has been run: how often such a loop turns, nobody can tell.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.ir import nodes as ir
from dtlint.machine.contents import containers
from dtlint.machine.contents.truth import truth
from dtlint.machine.control.turns import by_itself, merge_leavings, rejoin
from dtlint.machine.core import Machine, limited
from dtlint.machine.lanes import restrict
from dtlint.machine.logs import Decision, Guards, Log
from dtlint.machine.names.frames import LoopState
from dtlint.machine.values import (
    CONTAINERS,
    FILLED,
    NONE,
    Bound,
    Cause,
    ClassRef,
    External,
    FunctionRef,
    Object,
    Row,
    Tuple,
    Value,
)

MOST = 16  # turns
PART = 8  # of the budget, by which these turns have to be through
QUESTIONS = (ir.BoolOp, ir.Compare, ir.Unary)


def turned(machine: Machine, node: ir.While, mask: int) -> int | None:
    """The lanes that come to the end of it; None where this is not how to look at the loop."""
    if node.orelse or machine.weary() or not any(is_known(held) for held in asked_of(machine, node.test, mask)):
        return None
    frame = machine.frame
    facts, sinks, guards = machine.facts, machine.sinks, frame.guards
    before = (frame.left, frame.last_exit, len(frame.leavings), len(frame.returns), len(machine.journal))
    machine.facts = dict(facts)
    machine.sinks = [(seen := Log(), mask)]
    state = LoopState(newest=machine.objects, managers=len(frame.exits), one_by_one=True)
    frame.loops.append(state)
    staying = None
    try:
        staying = turn_by_turn(machine, node, state, mask)
    finally:
        frame.loops.pop()
        frame.guards = guards
        if staying is None:
            machine.facts, machine.sinks = facts, sinks
    if staying is None:
        frame.left, frame.last_exit, leavings, returns, mark = before
        del frame.leavings[leavings:]
        del frame.returns[returns:]
        machine.rollback(mark)
        return None
    rejoin(machine, state, "break", [(seen, mask)], before[2])
    merge_leavings(machine, state, "break")
    left, machine.facts = machine.facts, facts
    facts.clear()
    facts.update(left)
    put_in(machine, seen, sinks)
    return (staying | state.broke) & ~frame.left


def turn_by_turn(machine: Machine, node: ir.While, state: LoopState, mask: int) -> int | None:
    frame = machine.frame
    outer = frame.guards
    staying, done, last = mask, 0, list[Value]()
    most = machine.spent + machine.whole // PART
    for _ in range(MOST):
        things = asked_of(machine, node.test, staying)
        if things == last or machine.spent > most or not any(is_known(held) for held in things):
            return None
        last = things
        answer = answered(machine, node.test, staying)
        if answer is None:
            return None
        going, cause = answer
        ended = staying & ~going
        done |= ended
        if not going:
            return done
        frame.guards = Guards(goes_on(machine, node, cause, going, staying), outer) if ended else outer
        staying = by_itself(machine, state, node.body, going)
        frame.guards = outer
        if not staying:
            return done
    return None


def answered(machine: Machine, test: ir.Expr, mask: int) -> tuple[int, Cause | None] | None:
    """The lanes that answer yes, and why not all do; None where it is not known of each of them."""
    if isinstance(test, ir.BoolOp):
        asked, yes, why = mask, 0, None
        for part in test.values:
            answer = answered(machine, part, asked) if asked else (0, None)
            if answer is None:
                return None
            yes, why = answer[0] | (yes if test.op == "or" else 0), why or answer[1]
            asked = mask & ~yes if test.op == "or" else yes
        return yes, why
    value = machine.evaluate(test, mask)
    value = containers.of_lanes(value) or value  # who has put something there is a question of its own
    true, _, unsure, cause, _ = truth(machine, value, mask, counted=True)
    return None if unsure else (true, cause)


def goes_on(machine: Machine, node: ir.While, cause: Cause | None, lanes: int, mask: int) -> Decision:
    from dtlint.machine.names.expressions import text_of

    frame = machine.frame
    return Decision("branch", frame.path, node.at, text_of(node.test), cause, lanes, mask, frame.scope)


def put_in(machine: Machine, seen: Log, sinks: list[tuple[Log, int]]) -> None:
    """What the turns have done, goes to where it would have gone."""
    inner, machine.sinks = machine.sinks, sinks
    for one in seen.nodes:
        machine.emit(one)
    after = list[tuple[Log, int]]()
    for log, lanes in inner:
        after += [(held, lanes & own) for held, own in sinks if lanes & own] if log is seen else [(log, lanes)]
    machine.sinks = limited(after, sinks)


def asked_of(machine: Machine, test: ir.Expr, mask: int) -> list[Value]:
    """What the names hold that are asked for, of a list what is in it."""
    return [inside(held, mask) for held in named(machine, test, mask)]


def named(machine: Machine, test: ir.Expr, mask: int) -> Iterator[Value]:
    if isinstance(test, ir.Name):
        yield restrict(machine.evaluate(test, mask), mask)
    elif isinstance(test, ir.Attr):
        for thing in named(machine, test.value, mask):
            if isinstance(thing, Object) and test.name in thing.attributes:
                yield restrict(thing.attributes[test.name], mask)
    elif isinstance(test, ir.Index):
        yield from named(machine, test.value, mask)
    elif isinstance(test, ir.Call) and isinstance(test.func, ir.Name) and test.func.id in ("len", "callable"):
        for given in test.args:
            yield from named(machine, given, mask)
    elif isinstance(test, QUESTIONS):
        for one in parts(test):
            yield from named(machine, one, mask)


def parts(test: ir.Expr) -> tuple[ir.Expr, ...]:
    if isinstance(test, ir.BoolOp):
        return tuple(test.values)
    if isinstance(test, ir.Compare):
        return (test.left, *(one for _, one in test.pairs))
    return (test.value,) if isinstance(test, ir.Unary) and test.op == "not" else ()


def inside(held: Value, mask: int) -> Value:
    if isinstance(held, Row):
        return Row(tuple(inside(one, mask) for one in held.lanes), held.cause)
    if isinstance(held, Object) and held.kind in CONTAINERS and FILLED not in held.attributes:
        return restrict(held.attributes.get("[]", held), mask)
    return held


def is_known(held: Value) -> bool:
    """A thing, nothing, or a list of which each place is known; a number or a flag tells nothing of how many turns."""
    if isinstance(held, Row):
        return all(is_known(one) for one in held.lanes)
    if isinstance(held, Object):
        return isinstance(held.kind, ClassRef)
    return held == NONE or isinstance(held, Tuple | FunctionRef | Bound | ClassRef | External)
