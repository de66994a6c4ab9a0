"""Do the ranks drive their managers alike: a quorum before every collective, the same order, every answer heard?"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field

from dtlint.findings import Step
from dtlint.ir.heeded import done_anyway
from dtlint.machine.lanes import lanes_in
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.meeting.managers import NAME, is_manager
from dtlint.machine.library.python.exit_stacks import LEAVING
from dtlint.machine.logs import Attempt, Call, Choice, Decision, Event, Log, LogNode, Loop, decisions
from dtlint.machine.run import Run
from dtlint.machine.values import BY_PROCESS, Const, Object, Symbol, Value
from dtlint.machine.walks import walk
from dtlint.timeline.arrays.lives import is_new, parts, plain
from dtlint.timeline.ranks.parting import Path
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


# --- who takes part --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Apart:
    """A manager's collective that only some of its members reach."""

    event: Event
    here: int
    absent: int
    decision: Decision


def apart(run: Run) -> Iterator[Apart]:
    """Collectives of a manager which a decision by rank keeps from some of the ranks that made it. To ask for a quorum
    and whether a step is good, all ranks of a replica group have to come, too."""
    joined = members_by_quorum(run)
    events = [one for one in recorded(run, "managed", "asked", "quorum") if number_of(one[0]) is not None]
    together: dict[tuple[int, str], int] = {}
    for event, path in events:
        assert isinstance(event.subject, Object)
        which, here = (event.subject.number, event.op), reached(event, path)
        if here != joined.get(event.subject.number, event.subject.birth):  # what all do makes up for nothing left out
            together[which] = together.get(which, 0) | here
    seen: set[object] = set()
    for event, path in events:
        assert isinstance(event.subject, Object)
        members, here = joined.get(event.subject.number, event.subject.birth), reached(event, path)
        missing = members & ~together.get((event.subject.number, event.op), members)
        decision = decision_over(event, path, members)
        if missing and decision is not None and (decision.path, decision.at) not in seen:
            seen.add((decision.path, decision.at))
            yield Apart(event, here, missing, decision)


def members_by_quorum(run: Run) -> dict[int, int]:
    """Where each replica group is one process, it needs nobody else of its own: who asks for the quorum, or whether a
    step is good, takes part."""
    joined: dict[int, int] = {}
    for event, path in recorded(run, "quorum", "asked"):
        number, manager = number_of(event), event.subject
        if number is not None and isinstance(manager, Object) and manager.facts["call"].get("world_size") == Const(1):
            joined[number] = joined.get(number, 0) | reached(event, path)
    return joined


def reached(event: Event, path: tuple[LogNode, ...]) -> int:
    mask = event.mask
    for node in path:
        mask &= node.mask
    return mask


def decision_over(event: Event, path: tuple[LogNode, ...], members: int) -> Decision | None:
    for chain in (event.guards, *(node.guards for node in reversed(path))):
        for decision in decisions(chain):
            by_rank = decision.cause is not None and decision.cause.kind in BY_PROCESS
            if by_rank and decision.taken & members and decision.before & members & ~decision.taken:
                return decision
    return None


# --- order -----------------------------------------------------------------------------------------------------


def disordered(run: Run) -> Iterator[tuple[Event, str, tuple[Step, ...]]]:
    """Managers that two ranks share, used in an order that may differ between them."""
    for event, _ in recorded(run, "managed"):
        cause = event.extra.get("which")
        if cause is not None and cause.kind in BY_PROCESS:
            steps = cause.steps()
            told = steps[-1] if steps else Step(event.path, event.at[0], "which manager comes first differs by rank")
            yield event, "which manager is used first depends on the rank", (told,)
    yield from in_threads(run)
    yield from in_two_orders(run)
    for event, _ in recorded(run, "crossed-works"):
        begun, other = event.extra["work"].facts["event"], event.extra["other"].facts["event"]
        if managed(begun) and managed(other) and begun.mask != other.mask:
            told = Step(other.path, other.at[0], "still running on the ranks that share both managers")
            yield event, "another manager's collective is still running", (told,)


def in_threads(run: Run) -> Iterator[tuple[Event, str, tuple[Step, ...]]]:
    """A thread drives a manager while another thread of the rank communicates among the same ranks."""
    from dtlint.timeline.ranks.crossing import beside, share, talk

    for event, path in recorded(run, "thread-start"):
        inside = driven(event)
        if not inside:
            continue
        there = Step(inside[0].path, inside[0].at[0], "the second thread is in a manager's collective here")

        def meanwhile(one: Event, start: Event = event, inside: list[Event] = inside) -> bool:
            if one.op == "thread-start":
                return one is not start and not in_turn(one, start) and others(driven(one), inside)
            return managed(one) or (talk(one) and any(share(one, mine) for mine in inside if mine.group is not None))

        main = next(beside(run, event, path, meanwhile), None)
        if main is None:
            continue
        told = (*ways_down(event, path), there)
        if main.op == "thread-start":
            third = driven(main)[0]
            here = Step(third.path, third.at[0], "and a third thread is in one of another manager")
            yield main, "two threads drive managers at the same time", (*told, here)
        elif managed(main):
            here = Step(main.path, main.at[0], "meanwhile this thread is in a collective of a manager, too")
            yield event, "a second thread drives a manager while this one does", (*told, here)
        else:
            here = Step(main.path, main.at[0], "meanwhile this thread communicates with the same ranks")
            yield event, "a second thread drives a manager while this one communicates", (*told, here)


def driven(start: Event) -> list[Event]:
    """The collectives of managers that a thread makes."""
    return [node for node, _ in walk(start.extra["log"]) if isinstance(node, Event) and managed(node)]


def others(one: list[Event], other: list[Event]) -> bool:
    """Is there another manager among them, where both are known?"""
    mine, theirs = {event.group for event in one if event.group}, {event.group for event in other if event.group}
    return bool(mine and theirs) and mine != theirs


def in_turn(one: Event, other: Event) -> bool:
    """Does a pool of a single thread do both?"""
    pool = one.subject
    if pool is not other.subject or not isinstance(pool, Object):
        return False
    made = pool.facts.get("call")
    given = made.get("max_workers") if isinstance(made, Invocation) else None
    return given == Const(1)


ROUND = frozenset({"quorum", "should_commit"})  # what an optimizer's wrapper asks its manager for


def managed(event: Event) -> bool:
    """Does a manager do it? It goes on without a member that has failed."""
    if event.kind != "collective" or event.group is None:
        return False
    return event.group.name == NAME or event.op in ROUND


def in_two_orders(run: Run) -> Iterator[tuple[Event, str, tuple[Step, ...]]]:
    lanes: list[list[Event]] = [[] for _ in range(run.world.size)]
    for event, path in recorded(run, "managed"):
        if number_of(event) is not None:
            for lane in lanes_in(reached(event, path)):
                lanes[lane].append(event)
    for lane, mine in enumerate(lanes):
        for theirs in lanes[lane + 1 :]:
            one, other = [number_of(event) for event in mine], [number_of(event) for event in theirs]
            if one != other and sorted(map(str, one)) == sorted(map(str, other)):
                index = next(at for at, (a, b) in enumerate(zip(one, other, strict=True)) if a != b)
                first, second = mine[index], theirs[index]
                told = Step(second.path, second.at[0], "other ranks begin with another manager")
                yield first, "the ranks use the managers in different orders", (told,)
                return


# --- ends ------------------------------------------------------------------------------------------------------


EVERY = frozenset({"BaseException", "Exception"})


def left_behind(run: Run) -> Iterator[tuple[Event | Object, str, tuple[Step, ...]]]:
    """Managers and threads that a failure leaves alive: their end is not on the way of an exception."""
    if run.entry.kind != "script":
        return
    for event, path in recorded(run, "manager-made"):
        end = unguarded_end(run, "shutdown", event.subject)
        if end is not None:
            made = Step(event.path, event.at[0], "the manager is made here")
            yield event, "manager", (*ways_down(event, path), made, *told_end("shut down", end))
    for event, path in recorded(run, "thread-start"):
        thread = event.subject
        if not isinstance(thread, Object) or event.extra.get("daemon") is True or not endless(event):
            continue
        end = unguarded_end(run, "thread-join", thread)
        if end is not None and works_between(run, event):
            made = Step(thread.path, (thread.at or event.at)[0], "the thread is made here")
            begun = Step(event.path, event.at[0], "and started here")
            yield thread, "thread", (made, *ways_down(event, path), begun, *told_end("stopped", end))


def unguarded_end(run: Run, op: str, thing: Value | None) -> tuple[Event, Path] | None:
    """Where something is ended, if no failure on the way comes to that."""
    ends = [(event, path) for event, path in recorded(run, op) if event.subject is thing]
    leaving = run.facts.get(LEAVING, frozenset())
    return ends[0] if ends and not any(survives(event, path, leaving) for event, path in ends) else None


def told_end(what: str, end: tuple[Event, Path]) -> tuple[Step, ...]:
    event, path = end
    return (*ways_down(event, path), Step(event.path, event.at[0], f"{what} here, on the way without failure only"))


def survives(end: Event, path: tuple[LogNode, ...], leaving: Collection[object]) -> bool:
    """Is the end made in a `finally`, by the exit of a `with` or of a stack, or for every exception, around the work?
    What begins inside the `try` is ended by it as well."""
    if (end.path, end.at) in leaving:
        return True
    for node in path:
        if isinstance(node, Call) and (node.path, node.at) in leaving:
            return True
        if isinstance(node, Attempt):
            logs = [handler.log for handler in node.handlers if not EVERY.isdisjoint(handler.types)]
            if any(inner is end for log in (*logs, node.final) if log is not None for inner, _ in walk(log)):
                return True
    return False


def endless(event: Event) -> bool:
    """Does the thread turn in a `while`?"""
    log = event.extra["log"]
    return any(isinstance(node, Loop) and node.kind == "while" for node, _ in walk(log))


def works_between(run: Run, start: Event) -> bool:
    """Is there something in between that may fail: any call of all ranks?"""
    begun = False
    for node, _ in run.walk():
        if node is start:
            begun = True
        elif begun and isinstance(node, Event) and node.kind == "collective":
            return True
    return False
