"""What does one turn of a loop do, and what does it leave for the next?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.machine import library
from dtlint.machine.contents import written
from dtlint.machine.control.agreeing import AGREED
from dtlint.machine.control.counted import carried_on, cause_of, count_apart, left_elsewhere, turned_apart
from dtlint.machine.control.loop_ends import Broken, broken, otherwise
from dtlint.machine.control.next_turn import look_ahead
from dtlint.machine.control.started_apart import goes_around
from dtlint.machine.control.widening import (
    Left,
    Place,
    Places,
    changed_more,
    deciding,
    left_alone,
    widen,
    written_since,
)
from dtlint.machine.core import Machine, limited
from dtlint.machine.lanes import restrict
from dtlint.machine.library.computing import metrics
from dtlint.machine.library.feeding import sharding
from dtlint.machine.library.meeting import managers
from dtlint.machine.library.python import iterators
from dtlint.machine.logs import EXITS, Decision, Event, Guards, Loop
from dtlint.machine.names.assignment import MOVED_ON
from dtlint.machine.names.frames import Frame, Leaving, LoopState
from dtlint.machine.values import (
    MISSING,
    Cause,
    Const,
    Object,
    Row,
    Slots,
    Symbol,
    Tuple,
    Unknown,
    Value,
)

GREW = "grew in turns"  # fact of the run: what each loop was seen to change
HELD = "grew in what names hold"  # the same by names, for things that are made anew before the loop is come to again
KEPT = 64  # places for one loop
ZERO = Const(0)
MOST = 4  # attempts; the last one only for a difference between lanes that the one before has found


@goes_around
def turn(
    machine: Machine,
    node: ir.For | ir.While,
    mask: int,
    trip: Value | None,
    cause: Cause | None,
    subject: Value | None,
    kind: str,
    text: Callable[[], str],
    enter: Callable[[int], int],
    box: dict[str, Any] | None = None,
) -> int:
    """Run the body once per attempt, until what it changes is widened."""
    frame = machine.frame
    outer_sinks, outer_guards = machine.sinks, frame.guards
    widened: Places = {}
    for name in node.assigned:
        if name in frame.variables:
            widened[id(frame.variables), name] = (frame.variables, name)
    grew = machine.facts.setdefault(GREW, {}).setdefault(id(node), {})
    widened.update(grew)
    apart: set[Place] = set()  # tuples of which a turn leaves something else than as many parts
    held: dict[tuple[Any, Any], bool] = machine.facts.setdefault(HELD, {}).setdefault(id(node), {})
    for place, found, whole in here_too(frame, held):
        widened[place] = found
        if whole:
            apart.add(place)
    mark = len(machine.journal)
    through = 0
    first = machine.symbols.count  # a later attempt may meet calls that an earlier one has made
    objects, known_causes = machine.objects, 0
    endless = has_no_end(node, subject)
    metrics.turning(machine, node, cause)
    causes: dict[Place, Left] = {}  # why what a turn leaves for the next one differs between lanes
    before: dict[Place, Value] = {}  # what the loop found
    for attempt in range(MOST):
        for place, (container, name) in widened.items():
            before.setdefault(place, container.get(name, MISSING))
            widen(machine, container, name, node, mask, causes.get(place), place in apart)
        decision = Decision("loop", frame.path, node.at, text(), cause, mask, mask, frame.scope)
        decision.endless = endless
        loop = Loop(decision, mask, outer_guards, trip, cause, subject, kind)
        state = LoopState(subject=subject, newest=machine.objects, managers=len(frame.exits), number=id(node))
        frame.loops.append(state)
        leavings_before = len(frame.leavings)
        returns_before = len(frame.returns)
        machine.sinks = [(loop.body, mask)]
        frame.guards = Guards(decision, outer_guards)
        start = {place: container.get(name, MISSING) for place, (container, name) in widened.items()}
        inner_mark, doubts = len(machine.journal), len(machine.doubtful)
        depth = len(machine.uneven)
        if cause is not None:
            machine.uneven.append((machine.objects, cause, frozenset(sharding.shards_of(subject) if subject else ())))
        try:
            through = run_turn(machine, node, loop, decision, mask, state, enter, box)
        finally:
            del machine.uneven[depth:]
            frame.loops.pop()
            machine.sinks, frame.guards = outer_sinks, outer_guards
            loop.born, loop.objects = (first, machine.symbols.count), objects
        if tells_turns(machine):
            note_turn(machine, loop, inner_mark, doubts)
        note_agreed(loop, widened, start)
        note_set_back(machine, widened, start)
        grown = changed_more(
            machine, inner_mark, start, widened, node, causes, apart, deciding(loop, box), state.newest
        )
        learnt, known_causes = len(causes) > known_causes, len(causes)
        if not grown or attempt == MOST - 1 or (attempt == MOST - 2 and not learnt):
            break
        machine.rollback(mark)
        del frame.leavings[leavings_before:]
        del frame.returns[returns_before:]
        widened.update(grown)
        remember(grew, grown)
        held.update(by_names(frame, grown, apart))
    look_ahead(machine, node, loop, objects, enter)
    ended = broken(state, through)
    apart_in_number = turned_apart(loop, state)
    counted: list[Place] = []
    if apart_in_number is not None:
        left_elsewhere(machine, inner_mark, widened, start)
        counted += carried_on(widened, start)
    merge_leavings(machine, state, "break")
    for place, (container, name) in widened.items():
        left_alone(machine, container, name, before.get(place, MISSING), start.get(place, MISSING), mask)
    if apart_in_number is not None:
        count_apart(machine, node, widened, counted, apart_in_number, mask)
    machine.emit(loop)
    returned = [leaving for leaving in frame.leavings[leavings_before:] if leaving.word in ("return", *EXITS)]
    gone = lanes_gone(state, through, mask, loop, ended)
    staying = mask & ~gone & ~frame.left
    parting = next((one for one in returned if one.decision.cause or (mask & ~one.mask and not one.inner)), None)
    if parting is not None and staying & parting.mask:
        machine.part(parting.decision, staying & parting.mask)
    if node.orelse and staying:
        staying = otherwise(machine, node, staying, ended) | (state.broke & ~frame.left)
    return staying


def remember(grew: Places, grown: Places) -> None:
    """A loop inside of others is come to again and again: what it has changed once, it is supposed to change."""
    if len(grew) < KEPT:
        grew.update(grown)


def by_names(frame: Frame, grown: Places, apart: set[Place]) -> dict[tuple[Any, Any], bool]:
    """Which of these places are in what a name of this function holds? `losses` is another list in every turn of the
    loop around, and grows in each."""
    holders = {id(held.attributes): name for name, held in frame.variables.items() if isinstance(held, Object)}
    return {
        (holders[id(container)], name): place in apart
        for place, (container, name) in grown.items()
        if id(container) in holders
    }


def here_too(
    frame: Frame, held: dict[tuple[Any, Any], bool]
) -> Iterator[tuple[Place, tuple[dict[Any, Value], Any], bool]]:
    """The places that these names lead to now."""
    for (variable, name), whole in held.items():
        thing = frame.variables.get(variable)
        if isinstance(thing, Object) and name in thing.attributes:
            yield (id(thing.attributes), name), (thing.attributes, name), whole


def tells_turns(machine: Machine) -> bool:
    """Does anybody ask what is new in every turn: of JAX keys, of the rounds of a manager?"""
    return machine.flow is not None or managers.MADE in machine.facts


def note_turn(machine: Machine, loop: Loop, mark: int, doubts: int) -> None:
    """Which symbols are new in every turn: those of names and attributes that a turn leaves with another value, or may
    have left with another. What functions called in the loop do to their own names says nothing."""
    note_doubts(machine, loop, doubts)
    seen: set[Place] = set()
    onto = written.places(machine)
    for container, name, before in machine.journal[mark:]:
        place = (id(container), name)
        if place in seen:
            continue
        seen.add(place)  # what it holds later in the turn, the turn has put there itself
        if before is MISSING and type(name) is str:  # as it was read before
            if id(container) in onto:
                before = machine.unknown("attr", onto[id(container)], name)
            elif container is machine.frame.variables:
                before = machine.unknown("name", name)
            elif type(container) is Slots and container.serial:
                before = machine.unknown("attribute", container.serial, name)
        if not isinstance(before, Unknown | Tuple | Object | Row):
            continue
        before, after = restrict(before, loop.mask), restrict(container.get(name, MISSING), loop.mask)
        if after is before:
            continue
        kept = set(symbols_of((after,)))
        left = [symbol for symbol in symbols_of((before,)) if symbol not in kept]
        kept.update(symbols_of(instead_of(after)))
        left += [symbol for symbol in symbols_of(instead_of(before)) if symbol not in kept]
        if not left:
            continue
        if id(container) in onto or is_older(container, loop.objects):
            loop.variant.update(left)
            loop.carried.update(dict.fromkeys(left, after))
            loop.kept_by.extend((symbol, after) for symbol in left)
            loop.rebound.add(place)


def symbols_of(things: Iterable[Value]) -> Iterator[Symbol]:
    for thing in things:
        yield from (leaf.symbol for leaf in library.noticing.leaves(thing) if isinstance(leaf, Unknown))


def instead_of(value: Value) -> tuple[Object, ...]:
    """What a branch may have put in the place of a thing."""
    return value.instead if isinstance(value, Object) else ()


def moved_counters(machine: Machine, mark: int, objects: int) -> Places:
    """The numbers of what was there before that a turn has moved on: `self.count += 1` in what it calls."""
    return {
        place: (container, name)
        for place, container, name, before in written_since(machine, mark)
        if is_number(before) and is_older(container, objects) and container.get(name, MISSING) != before
    }


def is_number(value: Value) -> bool:
    return isinstance(value, Const) and type(value.value) in (int, float)


def turn_again(machine: Machine, counters: Places, mark: int) -> None:
    """Back to before a turn that was run for all, to where any turn may be: nobody knows how far it has counted."""
    machine.rollback(mark)
    for container, name in counters.values():
        machine.replace(container, name, machine.fresh("counted"))


def note_doubts(machine: Machine, loop: Loop, mark: int) -> None:
    """`if len(given) == 2: agent, info = given`: what the agent holds may be new in every turn."""
    for container, name in machine.doubtful[mark:]:
        if is_older(container, loop.objects):
            held = library.noticing.leaves(restrict(container.get(name, MISSING), loop.mask))
            loop.variant.update(leaf.symbol for leaf in held if isinstance(leaf, Unknown))


def note_agreed(loop: Loop, widened: Places, start: dict[Place, Value]) -> None:
    """What the ranks put together at the end of a turn and hand on to the next one: `total = all_reduce(total)`."""
    for place, (container, name) in widened.items():
        before, after = start[place], container.get(name)
        if isinstance(before, Unknown) and isinstance(after, Unknown) and after.symbol.key[0] == AGREED:
            loop.carried[before.symbol] = after


def note_set_back(machine: Machine, widened: Places, start: dict[Place, Value]) -> None:
    """`filled += 1` and, in some turns, `filled = 0`: a counter that counts the turns of a window."""
    moved = machine.facts.get(MOVED_ON, ())
    for place, (container, name) in widened.items():
        before, after = start[place], container.get(name)
        if not isinstance(before, Unknown) or before.symbol.key[0] != "loop":
            continue
        counted = before.symbol
        key = after.symbol.key if isinstance(after, Unknown) else ()
        if after == ZERO or (key[:1] == ("phi",) and 0 in key[2:]):
            rest = [part for part in key[2:] if isinstance(part, Symbol)]
            added = all(part.key[0] == "op +" and part.key[1] is counted for part in rest)
            counted.set_back = added and (bool(rest) or counted in moved)


def is_older(container: dict[Any, Value], objects: int) -> bool:
    """What an object or a call of before the loop holds lasts, wherever it is kept: as a default of a function, in a
    module, by a function that closes over it."""
    return type(container) is Slots and container.newer <= objects


def note_items(loop: Loop, target: ir.Expr, variables: dict[Any, Value]) -> None:
    """The items a loop walks over are new in every turn."""
    if isinstance(target, ir.Name):
        held = variables.get(target.id)
        if isinstance(held, Unknown):
            loop.variant.add(held.symbol)
    elif isinstance(target, ir.Tup | ir.ListExpr):
        for item in target.items:
            note_items(loop, item, variables)
    elif isinstance(target, ir.Star):
        note_items(loop, target.value, variables)


def has_no_end(node: ir.For | ir.While, subject: Value | None) -> bool:
    """`while True`, `for step in itertools.count()`, `for batch in itertools.cycle(loader)`: who stops leaves it."""
    if isinstance(node, ir.While):
        return isinstance(node.test, ir.Const) and bool(node.test.value)
    return iterators.never_runs_out(subject)


def run_turn(
    machine: Machine,
    node: ir.For | ir.While,
    loop: Loop,
    decision: Decision,
    mask: int,
    state: LoopState,
    enter: Callable[[int], int],
    box: dict[str, Any] | None,
) -> int:
    frame = machine.frame
    entering = enter(mask)
    if isinstance(node, ir.For) and loop.cause is None:
        loop.cause = decision.cause = iterators.stop_cause(machine, loop.subject)
    if tells_turns(machine) and isinstance(node, ir.For):
        note_items(loop, node.target, frame.variables)
    if box is not None:
        loop.cause = decision.cause = box.get("cause")
        loop.asked = box.get("asked")
        endless = box.get("true") == mask
        if endless:
            loop.cause = decision.cause = None
        if entering != mask and entering:
            decision.taken = entering
        if loop.cause is not None:  # what is gathered from here on, some ranks gather more of
            machine.uneven.append((state.newest, loop.cause, frozenset()))
    sinks, away = machine.sinks, len(frame.leavings) + len(state.leavings)
    state.mark = len(machine.journal)
    through = machine.run(node.body, entering) if entering else 0
    library.noticing.turn_ends(machine, through)
    rejoin(machine, state, "continue", sinks, away)
    merge_leavings(machine, state, "continue")
    again = (through | state.continued) & ~frame.left
    loop.again, loop.through = bool(again), bool(through)
    if again:
        machine.emit(Event("end", "next turn", "", again, frame.guards, frame.path, node.at, frame.scope, loop=loop))
    endless = box is not None and box.get("true") == mask and isinstance(node, ir.While)
    if endless and not state.broke and not any(leaving.word == "break" for leaving in state.leavings):
        # `while True` without any break ends only by return or exception; what follows is dead. Seen as fallen through
        # all the same when nothing inside leaves, since exceptions we do not model may end it.
        return again
    return again | (mask & ~entering)


def by_itself(machine: Machine, state: LoopState, body: tuple[ir.Stmt, ...], mask: int) -> int:
    """One turn that is run as it comes; the lanes that go on with the next."""
    frame = machine.frame
    state.continued = 0
    sinks, away = machine.sinks, len(frame.leavings) + len(state.leavings)
    through = machine.run(body, mask)
    going_on = (through | state.continued) & ~frame.left
    rejoin(machine, state, "continue", sinks, away)
    merge_leavings(machine, state, "continue")
    return going_on


def lanes_gone(state: LoopState, through: int, mask: int, loop: Loop, ended: Broken) -> int:
    """Lanes that left the function inside the loop, for certain."""
    turns = getattr(loop.trip, "value", 0)
    sure = (
        type(turns) is int and turns > 0 and not ended.perhaps
    )  # nobody comes to the end of the first turn, and there is one
    return mask & ~(through | state.broke) if through | state.broke or sure else 0


def rejoin(machine: Machine, state: LoopState, word: str, before: list[Any], away: int) -> None:
    """Sides that left by `break` or `continue` go on with the others; all of them, where nobody left further."""
    back = [leaving for leaving in state.leavings if leaving.word == word]
    if not back:
        return
    if len(machine.frame.leavings) + len(state.leavings) - len(back) == away:
        machine.sinks = before
    else:
        machine.sinks = limited([*machine.sinks, *(sink for leaving in back for sink in leaving.sinks)], before)


def merge_leavings(machine: Machine, state: LoopState, word: str) -> None:
    joined_after(machine, [leaving for leaving in state.leavings if leaving.word == word])
    state.leavings = [leaving for leaving in state.leavings if leaving.word != word]


def joined_after(machine: Machine, leavings: list[Leaving]) -> None:
    """What a side that left by a jump had written is one possibility afterwards."""
    for leaving in leavings:
        symbol = machine.symbols.fresh(leaving.word)
        machine.join_writes(leaving.writes, [], symbol, cause_of(leaving), leaving.mask)
