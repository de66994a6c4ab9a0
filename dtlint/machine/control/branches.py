"""Who takes which side of a decision, and what do both sides leave behind?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from dtlint.machine.contents import ranges
from dtlint.machine.contents.truth import truth
from dtlint.machine.control.turn_questions import COUNTED
from dtlint.machine.core import Machine, limited
from dtlint.machine.lanes import lanes_in, lowest, restrict
from dtlint.machine.library.feeding import multiples, totals
from dtlint.machine.library.meeting import group_start
from dtlint.machine.library.python import options
from dtlint.machine.logs import CAUGHT, EXITS, Choice, Decision, Guards, decisions, plain_question, questions_in, told
from dtlint.machine.names.frames import Frame, Leaving
from dtlint.machine.noted import Note
from dtlint.machine.values import BY_RANK, Cause, Const, Row, Symbol, Unknown, Value

TURNS = ("break", "continue")


def branch(
    machine: Machine,
    value: Value,
    mask: int,
    at: Any,
    text: Callable[[], str],
    then: Callable[[int], int],
    other: Callable[[int], int],
) -> int:
    """Run the sides of a decision for the lanes that take them."""
    true, false, unsure, cause, symbol = truth(machine, value, mask)
    if not unsure:
        if not false:
            return then(true)
        if not true:
            return other(false)
        return split(machine, mask, true, cause, at, text, then, other, number=is_number(value))
    if not true and not false:
        fewer = asked_for_less(value, mask)
        if not fewer:
            return choose(machine, mask, cause, symbol, at, text, then, other)

        def alone(lanes: int) -> int:
            return branch(machine, restrict(value, lanes), lanes, at, text, then, other)

        return split(machine, mask, fewer, value.cause, at, text, alone, alone)
    # some lanes know, others do not: first part those that know, lane by lane group
    decided = true | false
    rank_cause = cause if value.cause is None else value.cause

    def for_decided(lanes: int) -> int:
        taken, skipped = lanes & true, lanes & false
        return (then(taken) if taken else 0) | (other(skipped) if skipped else 0)

    def for_unsure(lanes: int) -> int:
        inner = value.lanes[lowest(lanes)] if hasattr(value, "lanes") else value
        why = inner.cause if lanes & (lanes - 1) else None  # one rank alone cannot part
        return choose(machine, lanes, why, symbol, at, text, then, other)

    return split(machine, mask, unsure, rank_cause, at, text, for_unsure, for_decided, known=decided)


def is_number(value: Value) -> bool:
    """Is the rank itself taken for an answer: `rank or alone`? Where it is 0 it may be followed by another."""
    lanes = value.lanes if isinstance(value, Row) else ()
    return bool(lanes) and all(
        isinstance(held, Const) and type(held.value) is int and held.value == lane
        for lane, held in enumerate(lanes)
        if lane
    )


def asked_for_less(value: Value, mask: int) -> int:
    """`due and (sharded or rank == 0)`: the first rank asks whether it is due, the others for both. The lanes that ask
    for the fewest parts of one question, if the others ask for these and more."""
    if not isinstance(value, Row):
        return 0
    asked: dict[frozenset[Symbol], int] = {}
    for lane in lanes_in(mask):
        held = value.lanes[lane]
        if not isinstance(held, Unknown) or held.cause is not None:
            return 0
        parts = questions_in(held.symbol)
        asked[parts] = asked.get(parts, 0) | 1 << lane
    least, *others = sorted(asked, key=len)
    return asked[least] if others and all(least < parts for parts in others) else 0


def split(
    machine: Machine,
    mask: int,
    taken: int,
    cause: Cause | None,
    at: Any,
    text: Callable[[], str],
    then: Callable[[int], int],
    other: Callable[[int], int],
    known: int = 0,
    number: bool = False,
) -> int:
    """Lanes part for certain: each side runs for its lanes only, one after the other on the same state."""
    frame = machine.frame
    decision = Decision("branch", frame.path, at, text(), cause, taken, mask, frame.scope, number=number)
    saved = frame.guards
    frame.guards = Guards(decision, saved)
    stayed_then = then(taken)
    exit_then = frame.last_exit
    frame.guards = Guards(decision, saved)
    stayed_other = other(mask & ~taken & ~frame.left)
    exit_other = frame.last_exit
    frame.guards = saved
    staying = stayed_then | stayed_other
    gone = mask & ~staying
    if gone and staying:
        word, place = exit_then if gone & taken else exit_other
        leaving = Decision(
            "exit", frame.path, at, decision.text, cause, gone, mask, frame.scope, place or at, word or "return"
        )
        frame.guards = Guards(leaving, saved)
    return staying


def choose(
    machine: Machine,
    mask: int,
    cause: Cause | None,
    symbol: Symbol | None,
    at: Any,
    text: Callable[[], str],
    then: Callable[[int], int],
    other: Callable[[int], int],
) -> int:
    """Nobody can decide: run both sides on the same start, keep both logs, join what they wrote."""
    known = told_apart(machine, symbol)
    if known is None:
        known = answered_before(machine, symbol)
    if known is not None:
        return then(mask) if known else other(mask)
    frame = machine.frame
    decision = Decision("branch", frame.path, at, text(), cause, mask, mask, frame.scope, symbol=symbol)
    choice = Choice(symbol, decision, mask, frame.guards)
    machine.emit(choice)
    outside = machine.sinks
    rest = [(log, lanes & ~mask) for log, lanes in outside if lanes & ~mask]
    start_of = frame.guards
    frame.choices.append(decision)

    mark, older = len(machine.journal), machine.objects
    noted, notes = len(machine.noted.before), list[Note]()  # of the sides that stay
    sides = []
    left_before, left_sides = frame.left, mask
    ended_before = len(frame.ended)
    asked, given = plain_question(symbol)
    assumed = len(machine.assumed)
    begun, begins = group_start.is_started(machine), []
    for log, side in ((choice.then, then), (choice.other, other)):
        machine.assumed += [one for one in told(symbol, side is then) if isinstance(one[0], Symbol)]
        machine.sinks = [(log, mask)]
        frame.guards = Guards(decision, start_of)
        frame.last_exit = ("", None)
        frame.left, on_side = left_before, len(frame.leavings)
        frame.answers.append((asked, (side is then) is given) if asked is not None else None)
        stayed = side(mask) & ~frame.left
        gone = mask & ~stayed & ~frame.left
        if gone and frame.exits:
            for way, lanes in ways_taken(frame, start_of, gone) if stayed else ((frame.last_exit, gone),):
                out_of_managers(machine, way, lanes)
        frame.answers.pop()
        for leaving in frame.leavings[on_side:]:
            leaving.inner = leaving.inner or not stayed
        if not stayed and frame.last_exit[0] in EXITS | {"raise"}:
            if any(leaving.word == "return" for leaving in frame.leavings[on_side:]):
                frame.last_exit = ("return", frame.last_exit[1])  # some of them: it is told of the others already
        if gone and stayed:
            frame.left_on.append((tuple(machine.assumed[assumed:]), gone))
        begins.append(not begun and group_start.is_started(machine))
        del machine.assumed[assumed:]
        left_sides &= frame.left
        choice.left.parting.append(tuple(ways_out(frame.guards, start_of)))
        if frame.loops or frame.exits or frame.tries:
            leave_turn(machine, choice.left.parting[-1], mask & ~stayed)
        if stayed or frame.last_exit[0] != "exit":
            # on this side some end the program, and the others go on or return
            frame.leavings += [Leaving("exit", one, one.taken, []) for one in frame.ended[ended_before:]]
        del frame.ended[ended_before:]
        (notes if stayed else frame.noted_away).extend(machine.noted.taken_back(noted))
        sides.append((stayed, machine.sinks, machine.rollback(mark), frame.last_exit if stayed != mask else ("", None)))
    machine.noted.again(notes)
    frame.left = left_before | left_sides
    frame.choices.pop()
    frame.guards = start_of
    (stayed_then, sinks_then, writes_then, exit_then), (stayed_other, sinks_other, writes_other, exit_other) = sides
    choice.exits = (exit_then[0] if not stayed_then else "", exit_other[0] if not stayed_other else "")
    if exit_then[0] and not stayed_then:
        decision.exit_at, decision.exit_word, decision.exit_answer = exit_then[1], exit_then[0], True
    elif exit_other[0] and not stayed_other:
        decision.exit_at, decision.exit_word, decision.exit_answer = exit_other[1], exit_other[0], False
    join_symbol = symbol or machine.symbols.fresh("choice")

    if stayed_then and stayed_other:
        if frame.loops and is_own_turn(cause, symbol):
            machine.apply_writes(writes_other)
            machine.apply_writes(writes_then)
        else:
            differs = cause and cause.then(machine.step(f"decides on `{decision.text}`", at))
            machine.join_writes(writes_then, writes_other, join_symbol, differs, mask, older)
        totals.seen_to(machine, symbol, (value for _, _, value in (*writes_then, *writes_other)))
    else:
        left_here = {exit_then[0], exit_other[0]} & {CAUGHT, *TURNS}
        if mask in (stayed_then, stayed_other) and not left_here:
            multiples.answered(machine, symbol, stayed_then == mask)
        both = not stayed_then and not stayed_other and exit_then[0] != exit_other[0]
        for answer, (stayed, sinks, writes, (word, place)), group in zip((True, False), sides, begins, strict=True):
            if stayed:
                machine.apply_writes(writes)
            elif word in ("break", "continue") and frame.loops:
                frame.loops[-1].leavings.append(Leaving(word, decision, mask, writes, sinks))
            elif word == CAUGHT:
                frame.tries[-1].leavings.append(Leaving(word, decision, mask, writes, sinks))
            elif word:
                own = decision if answer == decision.exit_answer else decision.of_other_side(word, place)
                away = Leaving(word, own, mask, writes, begun=begun or group, both=both)
                below = frame.choices or frame.loops or frame.tries or frame.on_yield is not None
                if word == "return" and cause is not None and not below:
                    away.mark, away.older = mark, older
                frame.leavings.append(away)

    if asked is not None and any(begins):
        group_start.begun_on(machine, asked, tuple(begins if given else begins[::-1]), mask)
    plain = (
        stayed_then == mask
        and stayed_other == mask
        and sinks_then == [(choice.then, mask)]
        and sinks_other == [(choice.other, mask)]
    )
    if plain:
        machine.sinks = outside
        if not choice.then.nodes and not choice.other.nodes:
            machine.retract(choice)
    else:
        # a side has left, or one of a choice inside it: what stayed goes on where it was
        sinks = [*rest, *parts(sinks_then, stayed_then), *parts(sinks_other, stayed_other)]
        machine.sinks = limited(sinks, outside)
    return stayed_then | stayed_other


def is_own_turn(cause: Cause | None, symbol: Symbol | None) -> bool:
    """`for node in range(nodes): … if node == own: mine = group`: every rank has one turn that is its own, and what it
    has kept there is what it has when the loop is over."""
    if cause is None or cause.kind not in BY_RANK or symbol is None or symbol.key[0] != "compare ==":
        return False
    counted = [part for part in symbol.key[1:] if isinstance(part, Symbol) and part.key[0] in COUNTED]
    return len(counted) == 1


def ways_out(guards: Guards | None, start: Guards | None) -> Iterator[Decision]:
    """The decisions since the start by which some lanes have left."""
    while guards is not None and guards is not start:
        if guards.decision.kind == "exit":
            yield guards.decision
        guards = guards.outer


Way = tuple[str, Any]  # out of a function or loop: the word, and its place


def ways_taken(frame: Frame, start: Guards | None, gone: int) -> list[tuple[Way, int]]:
    """How these lanes have left, where others have stayed."""
    ways = [((one.exit_word, one.exit_at), one.taken & gone) for one in ways_out(frame.guards, start)]
    return [(way, lanes) for way, lanes in ways if lanes]


def out_of_managers(machine: Machine, way: Way, lanes: int) -> None:
    """Whoever leaves the body of a `with` takes the way out of its manager first. In a loop nobody knows at which turn,
    so that is left to those that stay."""
    frame = machine.frame
    if way[0] not in ("return", CAUGHT, *TURNS) or way in frame.exited:
        return
    frame.exited.append(way)
    around: list[Any] = frame.tries if way[0] == CAUGHT else frame.loops
    outside = around[-1].managers if around else 0
    last_exit = frame.last_exit
    for leave in reversed(frame.exits[outside:]):
        leave(lanes)
    frame.last_exit = last_exit


def leave_turn(machine: Machine, ways: tuple[Decision, ...], gone: int) -> None:
    """What stands behind the loop is not for those that return; who goes on with the next turn is part of this side."""
    frame = machine.frame
    for one in ways:
        lanes = one.taken & gone
        if lanes and one.exit_word == "return":
            frame.leavings.append(Leaving("return", one, lanes, []))
        elif lanes and one.exit_word == "continue" and frame.loops:
            frame.loops[-1].leavings.append(Leaving("continue", one, lanes, [], parts(machine.sinks, lanes)))
        elif lanes and one.exit_word == CAUGHT:
            frame.tries[-1].leavings.append(Leaving(CAUGHT, one, lanes, [], parts(machine.sinks, lanes)))


def told_apart(machine: Machine, symbol: Symbol | None) -> bool | None:
    """`rank = int(…) if distributed else 0`: on one side of `if rank == 0`, where there is another, it is true."""
    asked, given = plain_question(symbol)
    known = machine.symbols.telling.get(asked) if asked is not None else None
    if known is not None:
        apart = (one.cause for one in decisions(machine.frame.guards) if one.taken != one.before)
        if any(cause is not None and cause.kind in BY_RANK for cause in apart):
            return known is given
    return None


def answered_before(machine: Machine, symbol: Symbol | None) -> bool | None:
    """The same question below itself, or behind an `assert`: what was answered is not asked again. Who is called may
    say another thing the next time."""
    asked, given = plain_question(symbol)
    if asked is None or asked.key[0] == "call":
        return None
    for answer in (True, False):
        if machine.assumes(asked, answer):
            machine.oldest_write = 0  # what holds here need not hold wherever this is called
            return answer is given
    found = ranges.follows(asked, machine.assumed)
    if found is not None:
        machine.oldest_write = 0
        return found is given
    begun = group_start.answer_of(machine, asked)
    if begun is not None:
        return begun is given
    return given if options.last_choice(machine, asked) else None


def parts(sinks: list[Any], lanes: int) -> list[Any]:
    return [(log, mask & lanes) for log, mask in sinks if mask & lanes]
