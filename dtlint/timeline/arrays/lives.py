"""Was something used up and used again? JAX keys that are consumed, buffers that are donated.

Both are values with an identity (their symbol) that may be consumed once. The log says in which order; branches that
exclude each other do not count together, and inside a loop a value counts once only if every turn has a new one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from dtlint.findings import Span, Step
from dtlint.machine.library.jax.facts import GRADIENT
from dtlint.machine.logs import EXITS, Attempt, Call, Choice, Event, Log, LogNode, Loop, decisions, plain_question, told
from dtlint.machine.names.attributes import PART_OF_A_PART
from dtlint.machine.values import Const, Symbol
from dtlint.machine.walks import walk
from dtlint.timeline.records import calls_around
from dtlint.timeline.symbols import numbers

Path = tuple[LogNode, ...]
# The result of a function of the project that was not run; a part of a part of what a library has made, which another
# one of its kind may have taken the place of.
UNFOLLOWED = frozenset({"call", "depth", "recursion", PART_OF_A_PART})


NOTHING = Symbol(("nothing",), 0)  # for uses of which only the place is asked


@dataclass(frozen=True, slots=True)
class Use:
    """One use of a value. `strong` uses consume it; `mild` ones are judged inside loops only."""

    symbol: Symbol
    event: Event
    path: Path
    strong: bool = True
    mild: bool = False


@dataclass(frozen=True, slots=True)
class Again:
    """A value that is used after it was consumed; `first` is None where a loop consumes it in every turn."""

    first: Use | None
    second: Use
    loop: Loop | None
    site: Span
    scope: str


class Story:
    """The uses of one kind of value over a run."""

    def __init__(self, excused: Callable[[Again], bool] = lambda _again: False) -> None:
        self.consumed: dict[Symbol, list[Use]] = {}
        self.excused = excused
        self.learning: dict[int, bool] = {}  # by the loop

    def learns(self, loop: Loop) -> bool:
        """Is anything differentiated in the loop?"""
        if id(loop) not in self.learning:
            self.learning[id(loop)] = learns(loop)
        return self.learning[id(loop)]

    def use(self, use: Use) -> Again | None:
        found = self.in_loop(use) if use.strong else None
        if found is None and not use.mild:
            found = self.after(use)
        if use.strong and not use.mild:
            for symbol in (use.symbol, *given_first(use)):
                held = self.consumed.setdefault(symbol, [])
                if len(held) < 6:
                    held.append(use)
        return found

    def after(self, use: Use) -> Again | None:
        for symbol in (use.symbol, *entered_with(use.symbol), *given_first(use)):
            for first in self.consumed.get(symbol, ()):
                if first.event.mask & use.event.mask and not exclude(first, use):
                    again = Again(first, use, None, *site_after(first.path, use))
                    if not self.excused(again):
                        return again
        return None

    def in_loop(self, use: Use) -> Again | None:
        for index, node in enumerate(use.path):
            if not isinstance(node, Loop) or turns_once(node) or leaves(use, index) or retried(use, index):
                continue
            if use.event.op == "key" and now_and_then(use, index, node):
                continue
            if use.mild and not self.learns(node):
                continue  # a model that is only looked at
            inner = [node, *(other for other in use.path[index + 1 :] if isinstance(other, Loop))]
            if any(loop.kind == "callback" for loop in inner[1:]) and carried(use.symbol):
                continue  # made anew for the inner loop
            if not any(is_new(use.symbol, loop) for loop in inner):
                again = Again(None, use, node, *site_below(use, index))
                if not self.excused(again):
                    return again
        return None


def learns(loop: Loop) -> bool:
    events = (node for node, _ in walk(loop.body) if isinstance(node, Event))
    return any(one.kind == "jax" and one.op == GRADIENT for one in events)


def carried(symbol: Symbol) -> bool:
    """Is this part of what a traced loop carries from turn to turn?"""
    return any(part.key[0] == "scan" for part in parts(symbol))


def is_new(symbol: Symbol, loop: Loop) -> bool:
    """Does every turn of the loop have another value here?"""
    for part in parts(symbol):
        if part in loop.variant:
            return True
        if part.key[-1] == "fresh" and loop.born[0] < part.key[1] <= loop.born[1]:
            return True
        if loop.objects and any(number > loop.objects for number in numbers(part.key)):
            return True
    return False


def parts(symbol: Symbol, limit: int = 200) -> Iterator[Symbol]:
    """The symbols a symbol is made of."""
    todo: list[object] = [symbol]
    seen: set[int] = set()
    while todo and len(seen) < limit:
        one = todo.pop()
        if isinstance(one, Symbol):
            if id(one) not in seen:
                seen.add(id(one))
                yield one
                todo.extend(one.key)
        elif isinstance(one, tuple):
            todo.extend(one)


def stable(symbol: Symbol, known: bool) -> bool:
    """Is an equal symbol an equal key? What an unknown function or iterator hands out may be new each time."""
    if symbol.key[0] == "item" and len(symbol.key) == 2 and not known:
        return False
    if symbol.key[0] == "loop" and symbol.key[3:] == (None,):
        return False  # there was none before the first turn, and every time the loop is come to it may be another one
    return not any(part.key[0] in UNFOLLOWED or "." in str(part.key[0]) for part in parts(symbol))


def entered_with(symbol: Symbol) -> Iterator[Symbol]:
    """What a name that a loop changes held before the loop, and before the loop around that one."""
    while symbol.key[0] == "loop" and len(symbol.key) > 3 and isinstance(symbol.key[3], Symbol):
        symbol = symbol.key[3]
        yield symbol


def given_first(use: Use) -> Iterator[Symbol]:
    """What the traced loops around this use were entered with, in place of it: `scan(step, (state, key), None, 10)`"""
    symbol = use.symbol
    for node in reversed(use.path if use.event.op == "key" else ()):  # a buffer is donated by who calls from outside
        if isinstance(node, Loop) and symbol in node.entered:
            symbol = node.entered[symbol]
            yield symbol


def turns_once(loop: Loop) -> bool:
    """Is there one turn at most, by its number or since each turn fails?"""
    if not loop.again:
        return True
    return isinstance(loop.trip, Const) and isinstance(loop.trip.value, int) and loop.trip.value <= 1


Sides = list[tuple[Choice, bool]]


def sides(use: Use) -> Sides:
    """The choices above a use, with the side it is on."""
    found = []
    for index, node in enumerate(use.path):
        if isinstance(node, Choice):
            below = use.path[index + 1] if index + 1 < len(use.path) else use.event
            found.append((node, node.then.holds(below) or (not node.other.holds(below) and told_in(node.then, below))))
    return found


def guarding(use: Use) -> Sides:
    """Of these, the ones that it stands in. What follows a branch that some have left is shared by its sides, and found
    on the first of them."""
    asked = {id(one) for one in decisions(use.event.guards)}
    for node in use.path:
        if isinstance(node, Call):
            asked.update(id(one) for one in decisions(node.guards))
    return [(choice, then) for choice, then in sides(use) if id(choice.decision) in asked]


def told_in(log: Log, below: LogNode) -> bool:
    """Does the log hold what this was made from, when a question was answered to tell the story?"""
    if isinstance(below, Choice | Loop):
        return any(isinstance(one, Choice | Loop) and one.decision is below.decision for one in log.nodes)
    return isinstance(below, Call) and any(
        isinstance(one, Call) and (one.path, one.at, one.guards) == (below.path, below.at, below.guards)
        for one in log.nodes
    )


def leaves(use: Use, start: int) -> bool:
    """Does the side that holds this use leave the loop?"""
    below = {id(node) for node in use.path[start:]}
    return any(choice.exits[0 if then else 1] != "" for choice, then in sides(use) if id(choice) in below)


def now_and_then(use: Use, start: int, loop: Loop) -> bool:
    """Is the use for some turns only (`if step % 100 == 0`)? What is looked at from time to time is looked at alike."""
    below = {id(node) for node in use.path[start:]}
    return any(
        id(choice) in below and choice.symbol is not None and is_new(choice.symbol, loop) for choice, _ in sides(use)
    )


def retried(use: Use, start: int) -> bool:
    """Is the use inside a `try` of the loop? Then the next turn may be another attempt at the same."""
    return any(isinstance(node, Attempt) and node.handlers for node in use.path[start:])


def exclude(first: Use, second: Use, ways: Callable[[Use], Sides] = sides) -> bool:
    """Can only one of the two happen? Where both are looked at as they were found, or the first by what guards it."""
    mine = ways(first)
    taken = {what: answer for choice, then in mine for what, answer in told(choice.symbol, then)}
    others = sides(second)
    for choice, then in others:
        if any(one.decision is choice.decision and side != then for one, side in mine):
            return True
        if any(taken.get(what, answer) != answer for what, answer in told(choice.symbol, then)):
            return True
    for one, other in zip(first.path, second.path, strict=False):
        if one is not other:
            break
        if isinstance(one, Attempt):
            parts = {part_of(one, first), part_of(one, second)}
            return len(parts) > 1 and IN_FINAL not in parts
    return any(
        choice.exits[0 if then else 1] in ("return", "break", "continue", "raise", *EXITS)
        for choice, then in mine
        if not any(choice.decision is other.decision for other, _ in others)
    )


def plain(symbol: Symbol, side: bool) -> tuple[Symbol, bool]:
    asked, given = plain_question(symbol)
    return asked or symbol, side == given


IN_FINAL = -1  # `finally`: it comes after whatever part has been run


def part_of(attempt: Attempt, use: Use) -> int:
    position = next(index for index, node in enumerate(use.path) if node is attempt)
    below = use.path[position + 1] if position + 1 < len(use.path) else use.event
    logs = [attempt.body, *(handler.log for handler in attempt.handlers)]
    return next((number for number, log in enumerate(logs) if any(node is below for node in log.nodes)), IN_FINAL)


def across(here: Use, others: Iterable[Use]) -> bool:
    """Is this on the other side of a branch than all of the others, if there are any? These stand in a branch where it
    guards them: what follows one that some have left stands behind both sides of it."""
    some = False
    for other in others:
        if not exclude(other, here, guarding):
            return False
        some = True
    return some


# --- the line an author would edit -----------------------------------------------------------------------------


def site_after(first: Path, use: Use) -> tuple[Span, str]:
    """In the function that holds the value: the call that leads to the second use, or that use."""
    return site(use, in_common(first, use.path))


def first_site(first: Use, again: Again) -> Span:
    """The call that leads to the first use, in the function that holds the value."""
    return site_after(again.second.path, first)[0]


def in_common(first: Path, second: Path) -> int:
    """How far two ways are one. Behind that the same node is another place: two calls share what is below them."""
    common = 0
    for one, other in zip(first, second, strict=False):
        if one is not other:
            break
        common += 1
    return common


def site_below(use: Use, index: int) -> tuple[Span, str]:
    loop = use.path[index]
    start = index + 1
    if isinstance(loop, Loop) and loop.kind == "callback":
        while start < len(use.path) and not isinstance(use.path[start], Call):
            start += 1
        start += 1
    return site(use, start)


def site(use: Use, start: int) -> tuple[Span, str]:
    for node in calls_around(use.event, use.path[start:]):
        return Span(node.path, *node.at), node.caller
    return Span(use.event.path, *use.event.at), use.event.function


def way(path: Path, event: Event, text: str) -> tuple[Step, ...]:
    """The calls that lead to an event, and the event. A function nobody is seen to call is not called where it is
    defined."""
    calls = [
        Step.of(node, f"calls `{node.function}`")
        for node in calls_around(event, path)
        if (node.path, node.at) != (node.callee_path, node.callee_at)
    ]
    return (*calls[-3:], Step.of(event, text))
