"""Do the ranks drive their managers alike: a quorum before every collective, and every answer heard?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from dtlint.findings import Step
from dtlint.ir.heeded import done_anyway
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.meeting.managers import is_manager
from dtlint.machine.logs import Attempt, Call, Choice, Event, Log, Loop
from dtlint.machine.run import Run
from dtlint.machine.values import Object, Symbol, Value
from dtlint.timeline.arrays.lives import is_new, parts, plain
from dtlint.timeline.records import recorded, ways_down

DEEPEST = 3  # loops of which a second turn is looked at
Taken = dict[Symbol, bool]
Conditions = frozenset[tuple[Symbol, bool]]


@dataclass(slots=True)
class State:
    """What is known on every way to here: managers with a quorum, and those that reduced without asking since."""

    quorum: dict[int, Conditions] = field(default_factory=dict)  # and what has to be so for it
    unasked: dict[int, Event] = field(default_factory=dict)
    asked: dict[int, Event] = field(default_factory=dict)  # and were asked whether what they have reduced is good


@dataclass(frozen=True, slots=True)
class Leaving:
    """A way out of a function or loop: the state there, and the choice that led to it."""

    word: str
    state: State
    symbol: Symbol | None
    side: bool


@dataclass(slots=True)
class Review:
    """One walk over a run: `early` collectives had no quorum on some way, `unheard` steps came before the question,
    and those in `anyway` whatever it was answered. All with the calls that lead there."""

    made: dict[int, Object]  # the managers, by their numbers
    averaging: set[int] = field(default_factory=set)  # managers of wrapped models: each backward pass reduces by them
    early: list[tuple[Event, Object, tuple[Step, ...]]] = field(default_factory=list)
    unheard: list[tuple[Event, Event, tuple[Step, ...]]] = field(default_factory=list)
    anyway: list[tuple[Event, Event, tuple[Step, ...]]] = field(default_factory=list)
    reduced: dict[int, tuple[Event, tuple[Step, ...]]] = field(default_factory=dict)  # the last by each manager
    answering: set[int] = field(default_factory=set)  # managers that are asked here, or by what they were handed to
    begun: set[int] = field(default_factory=set)  # managers that had a quorum somewhere on the way so far
    calls: list[Call] = field(default_factory=list)  # that the walk is in
    loops: list[tuple[Loop, bool]] = field(default_factory=list)  # and whether it is in the first turn
    done_anyway: Callable[[Event, Event, list[Call]], bool] = lambda _asked, _step, _calls: False


def review(run: Run) -> Review | None:
    if "managers" not in run.cache:
        subjects = [event.subject for event, _ in recorded(run, "manager-made")]
        made = {thing.number: thing for thing in subjects if isinstance(thing, Object) and is_manager(thing)}
        found = None
        if made:
            found = Review(made, done_anyway=lambda *places: whatever(run, *places))
            follow(found, run.log, State(), 0, {}, [])
        run.cache["managers"] = found
    result: Review | None = run.cache["managers"]
    return result


def number_of(event: Event) -> int | None:
    return event.subject.number if isinstance(event.subject, Object) and is_manager(event.subject) else None


def follow(review_: Review, log: Log, state: State, depth: int, taken: Taken, left: list[Leaving]) -> State:
    """The state behind a log; what leaves it on the way is put into `left`. `taken`: the sides of choices above."""
    if depth > 60:
        return state
    for node in log.nodes:
        if isinstance(node, Event):
            step(review_, node, state, taken)
        elif isinstance(node, Call):
            returned: list[Leaving] = []
            review_.calls.append(node)
            state = follow(review_, node.log, state, depth + 1, dict(taken), returned)
            review_.calls.pop()
            state = merged(state, returned, left, ("return",))
        elif isinstance(node, Choice):
            state = chosen(review_, node, state, depth, taken, left)
        elif isinstance(node, Loop):
            state = turns(review_, node, state, depth, taken, left)
        elif isinstance(node, Attempt):
            state = follow(review_, node.body, state, depth + 1, taken, left)
            if node.final is not None:
                state = follow(review_, node.final, state, depth + 1, taken, left)
    return state


def turns(review_: Review, node: Loop, state: State, depth: int, taken: Taken, left: list[Leaving]) -> State:
    """The first turn and a later one. What is asked for in some turns only may have been so in the first, and may last
    from one to a later one."""
    review_.loops.append((node, True))
    turned: list[Leaving] = []
    behind = both(copied(state), follow(review_, node.body, copied(state), depth + 1, dict(taken), turned), True)
    behind = merged(behind, turned, left, ("break", "continue"))
    review_.loops.pop()
    if node.again and len(review_.loops) < DEEPEST:
        kept = {
            number: frozenset(one for one in needed if not is_new(one[0], node))
            for number, needed in behind.quorum.items()
        }
        review_.loops.append((node, False))
        later = State(kept, dict(state.unasked), dict(state.asked))
        follow(review_, node.body, later, depth + 1, dict(taken), [])
        review_.loops.pop()
    return behind


def postponed(review_: Review, needed: Conditions | None, taken: Taken) -> bool:
    """In the first turn of some loop: is it for some turns only that the quorum is asked for, or that it is needed?"""
    loops = [loop for loop, first in review_.loops if first]
    symbols = {symbol for symbol, _ in needed} - taken.keys() if needed is not None else taken.keys()
    turning = [any(is_new(symbol, loop) for loop in loops) for symbol in symbols]
    return bool(loops) and (all(turning) if needed is not None else any(turning))


def chosen(review_: Review, node: Choice, state: State, depth: int, taken: Taken, left: list[Leaving]) -> State:
    symbol, yes = plain(node.symbol, True) if node.symbol is not None else (None, True)
    known = (lambda side: {**taken, symbol: side}) if symbol is not None else (lambda side: dict(taken))
    then = follow(review_, node.then, copied(state), depth + 1, known(yes), left)
    other = follow(review_, node.other, copied(state), depth + 1, known(not yes), left)
    for exit_, mine, side in ((node.exits[0], then, yes), (node.exits[1], other, not yes)):
        if exit_:
            left.append(Leaving(exit_, mine, symbol, side))
    if any(node.exits):
        if symbol is not None:
            taken[symbol] = yes if node.exits[1] else not yes
        return then if node.exits[1] else other
    return both(then, other, symbol=symbol, side=yes)


def merged(state: State, leavings: list[Leaving], left: list[Leaving], words: tuple[str, ...]) -> State:
    """What left with one of the words goes on behind; the rest leaves more."""
    for leaving in leavings:
        if leaving.word in words:
            state = both(leaving.state, state, symbol=leaving.symbol, side=leaving.side)
        else:
            left.append(leaving)
    return state


def copied(state: State) -> State:
    return State(dict(state.quorum), dict(state.unasked), dict(state.asked))


def both(one: State, other: State, entered: bool = False, symbol: Symbol | None = None, side: bool = True) -> State:
    """Either of two states; `symbol` is what decides that it is the one (where it is `side`)."""
    unasked, asked = {**one.unasked, **other.unasked}, {**one.asked, **other.asked}
    if entered:
        return State(dict(other.quorum), unasked, asked)
    quorum = {}
    for number in one.quorum.keys() | other.quorum.keys():
        if number in one.quorum and number in other.quorum:
            quorum[number] = one.quorum[number] & other.quorum[number]
        elif symbol is not None:
            quorum[number] = (one.quorum | other.quorum)[number] | {(symbol, side == (number in one.quorum))}
    return State(quorum, unasked, asked)


def step(review_: Review, event: Event, state: State, taken: Taken) -> None:
    if event.op == "forward" and event.kind == "collective":
        review_.averaging |= managers_of(event.subject) & review_.made.keys()
    elif event.op == "backward" and event.kind == "step":
        for averaging in sorted(review_.averaging):
            reduces(review_, event, averaging, state, taken)
    if event.kind != "record":
        return
    number = number_of(event)
    if event.op == "manager-handed":
        review_.answering |= managers_in(event.extra["call"])
    elif event.op == "quorum":
        begun = [number] if number is not None else asked_for(review_, event)
        starts(review_, state, begun)
        for known in begun:
            state.asked.pop(known, None)
    elif event.op == "quorum-awaited":
        if number is not None and number in review_.made and number not in review_.begun:
            review_.early.append((event, review_.made[number], ways_down(event, tuple(review_.calls))))
        starts(review_, state, [number] if number is not None else asked_for(review_, event))
    elif event.op == "managed" and number is not None:
        reduces(review_, event, number, state, taken)
    elif event.op == "asked":
        review_.answering |= {number} if number is not None else review_.made.keys()
        for known in [number] if number is not None else list(state.unasked):
            if state.unasked.pop(known, None) is not None:
                state.asked[known] = event
        if number is not None:
            state.quorum.pop(number, None)
    elif event.op == "optimizer-step" and event.extra["call"].row.op == "should_commit":
        for known in asked_for(review_, event):  # by the wrapped optimizer itself, which ends the step
            state.unasked.pop(known, None)
            state.quorum.pop(known, None)
    elif event.op == "optimizer-step" and state.unasked:
        reduced = next(iter(state.unasked.values()))
        review_.unheard.append((event, reduced, ways_down(event, tuple(review_.calls))))
        state.unasked.clear()
    elif event.op == "optimizer-step":
        for known, asked in list(state.asked.items()):
            if review_.done_anyway(asked, event, review_.calls):
                review_.anyway.append((event, asked, ways_down(event, tuple(review_.calls))))
                state.asked.pop(known)


def starts(review_: Review, state: State, managers: list[int]) -> None:
    state.quorum.update(dict.fromkeys(managers, frozenset()))
    review_.begun.update(managers)


def whatever(run: Run, asked: Event, step: Event, calls: list[Call]) -> bool:
    """Does the step, or the call that leads to it, come behind the question in the same function, and the answer
    decides nothing?"""
    place = (asked.path, asked.function)
    ways = [(step.path, step.function, step.at), *((one.path, one.caller, one.at) for one in reversed(calls))]
    deed = next((at for path, function, at in ways if (path, function) == place), None)
    if deed is None:
        return False
    return done_anyway(run.project.tree(asked.path), asked.at[:2], deed[:2], run.knowledge.shows)


def reduces(review_: Review, event: Event, number: int, state: State, taken: Taken) -> None:
    """A manager reduces. Without its quorum that fails, and nothing half-reduced is left to be applied."""
    needed = state.quorum.get(number)
    met = needed is not None and all(is_so(taken, symbol, side) for symbol, side in needed)
    if not met and number in review_.made:
        known = any(one is event and manager.number == number for one, manager, _ in review_.early)
        if not known and not postponed(review_, needed, taken):
            review_.early.append((event, review_.made[number], ways_down(event, tuple(review_.calls))))
    else:
        state.unasked[number] = event
        if event.op == "managed":
            review_.reduced[number] = (event, ways_down(event, tuple(review_.calls)))


def never_asked(review_: Review) -> Iterator[tuple[Event, tuple[Step, ...]]]:
    """What managers reduce that nobody ever asks: the step never ends, and a failure in it goes unseen."""
    told = review_.answering | review_.averaging
    for number, (event, way) in review_.reduced.items() if not review_.unheard else ():
        if number not in told:
            yield event, way


def asked_for(review_: Review, event: Event) -> list[int]:
    """The managers that a wrapped optimizer asks: its own, or any where that is not known."""
    return sorted(managers_of(event.subject) & review_.made.keys() or review_.made)


def managers_of(model: Value | None) -> set[int]:
    """The managers a wrapped model, or optimizer, was given."""
    return managers_in(model.facts.get("call")) if isinstance(model, Object) else set()


def managers_in(call: object) -> set[int]:
    """The managers among the arguments of a call."""
    given = call.values if isinstance(call, Invocation) else ()
    return {value.number for value in given if isinstance(value, Object) and is_manager(value)}


def is_so(taken: Taken, symbol: Symbol, side: bool) -> bool:
    """Was this side of the choice taken, or one of something that may depend on it, as a function's answer does?"""
    if symbol in taken:
        return taken[symbol] == side
    return any(part is symbol or part.key[0] == "returned" for other in taken for part in parts(other))
