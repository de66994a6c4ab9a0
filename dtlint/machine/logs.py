"""What did every rank do? Logs are trees of events, choices, loops, calls and attempts.

Every node knows the lanes that reach it (`mask`) and, inside its own frame, the decisions that kept the others away
(`guards`). What a log says for a lane is in `spoken`, how one goes through it in `walks`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dtlint.machine.contents import ranges
from dtlint.machine.values import Cause, Symbol, Value

Place = tuple[int, int, int, int]
Site = tuple[str, Place, str]  # path, place, function
ASSERTED = "assert"  # the word of an exit that does not happen: some lanes are said not to come here
NOTED = "asserted"  # record: what a handler may have noted is asserted, and why it differs
CAUGHT = "caught"  # the word of those that leave the body of a `try` for its handler, and go on behind it

# words for leaving the program: an exit with a status of failure ends the job, as an error does
FAILED_EXIT = "failed exit"
EXITS = frozenset({"exit", FAILED_EXIT})
FAILS = frozenset({"raise", FAILED_EXIT})
WHAT_IS_CALLED = "what is called"  # text of a decision: the lanes come to one call with different things to be called


class Decision:
    """A line where lanes part: a branch, an exit, a loop's length, an exception."""

    __slots__ = (
        *("at", "before", "cause", "endless", "exit_answer", "exit_at", "exit_word", "function"),
        *("kind", "number", "path", "symbol", "taken", "text"),
    )

    def __init__(
        self,
        kind: str,  # branch | exit | loop | handler
        path: str,
        at: Place,
        text: str,
        cause: Cause | None,
        taken: int,
        before: int,
        function: str,
        exit_at: Place | None = None,
        exit_word: str = "",
        symbol: Symbol | None = None,  # of the question nobody can answer
        number: bool = False,  # is it asked whether the rank, a number, is true?
    ) -> None:
        self.kind = kind
        self.path = path
        self.at = at
        self.text = text
        self.cause = cause
        self.taken = taken
        self.before = before
        self.function = function
        self.exit_at = exit_at
        self.exit_word = exit_word
        self.exit_answer: bool | None = None  # to `symbol`, of those that leave
        self.endless = False  # a loop with no end of its own: `while True`, `for step in itertools.count()`
        self.symbol = symbol
        self.number = number

    def of_other_side(self, word: str, place: Place | None) -> Decision:
        """The same question, of those that leave by its other answer."""
        found = Decision(self.kind, self.path, self.at, self.text, self.cause, self.taken, self.before, self.function)
        found.exit_at, found.exit_word, found.exit_answer = place, word, not self.exit_answer
        found.symbol, found.number = self.symbol, self.number
        return found

    def separates(self, lane: int, other: int) -> bool:
        both = 1 << lane | 1 << other
        return self.before & both == both and (self.taken >> lane & 1) != (self.taken >> other & 1)

    @property
    def place(self) -> tuple[str, Place]:
        return (self.path, self.exit_at or self.at)


class Guards:
    """The decisions on the way to here, innermost first; shared."""

    __slots__ = ("decision", "outer")

    def __init__(self, decision: Decision, outer: Guards | None) -> None:
        self.decision = decision
        self.outer = outer


def decisions(guards: Guards | None) -> Iterator[Decision]:
    while guards is not None:
        yield guards.decision
        guards = guards.outer


class Group:
    """A communicator: which lanes are in it with each lane. `members[lane]` is a mask, 0 for outsiders."""

    __slots__ = ("members", "name", "number")

    def __init__(self, name: str, members: tuple[int, ...], number: int = 0) -> None:
        self.name = name
        self.members = members
        self.number = number


class Event:
    """One thing a rank does that others can notice. `kind`: collective, p2p, end (of a loop's turn), and the
    kinds that rules of other families read (file, seed, loader, step …), which communicate nothing."""

    __slots__ = (
        "api",
        "asynchronous",
        "at",
        "details",
        "extra",
        "function",
        "group",
        "guards",
        "implicit",
        "kind",
        "loop",
        "mask",
        "op",
        "path",
        "subject",
    )

    def __init__(
        self,
        kind: str,
        op: str,
        api: str,
        mask: int,
        guards: Guards | None,
        path: str,
        at: Place,
        function: str,
        group: Group | None = None,
        details: tuple[tuple[str, Value], ...] = (),
        implicit: bool = False,
        asynchronous: bool = False,
        subject: Value | None = None,
        extra: dict[str, Any] | None = None,
        loop: Loop | None = None,
    ) -> None:
        self.kind = kind
        self.op = op
        self.api = api
        self.group = group
        self.mask = mask
        self.guards = guards
        self.path = path
        self.at = at
        self.function = function
        self.details = details
        self.implicit = implicit
        self.asynchronous = asynchronous
        self.subject = subject
        self.extra = extra or {}
        self.loop = loop

    def __repr__(self) -> str:
        return f"{self.op}@{self.at[0]}:{self.mask:b}"


class Log:
    """A sequence of nodes; keys are computed once, when the log is complete."""

    __slots__ = ("keys", "nodes", "talking")

    def __init__(self) -> None:
        self.nodes: list[LogNode] = []
        self.keys: dict[Any, tuple[Any, ...]] = {}
        self.talking: int | None = None

    def holds(self, node: LogNode) -> bool:
        return any(one is node for one in self.nodes)

    @property
    def talking_lanes(self) -> int:
        """The lanes that communicate somewhere below; asked only when the log is complete."""
        if self.talking is None:
            self.talking = 0
            self.talking = lanes_that_talk(self)
        return self.talking


class Call:
    """A followed call: the callee's log is shared, not copied."""

    __slots__ = ("at", "callee_at", "callee_path", "caller", "function", "guards", "log", "mask", "path")

    def __init__(
        self,
        function: str,
        path: str,
        at: Place,
        mask: int,
        guards: Guards | None,
        log: Log,
        caller: str,
        callee_path: str,
        callee_at: Place | None,
    ) -> None:
        self.function = function
        self.path = path
        self.at = at
        self.mask = mask
        self.guards = guards
        self.log = log
        self.caller = caller
        self.callee_path = callee_path
        self.callee_at = callee_at


class Left:
    """How the sides of a branch left, and what parts the lanes that left a side from those that stayed on it."""

    __slots__ = ("parting", "words")

    def __init__(self) -> None:
        self.words = ("", "")
        self.parting: list[tuple[Decision, ...]] = []


class Choice:
    """A branch nobody can decide. Without a cause every lane takes the same side; with one, lanes may part.
    Both sides contain what follows up to the end of the scope when the other one left it. `known` is the side that is
    taken where a branch above has answered the same question."""

    __slots__ = ("cause", "decision", "guards", "known", "left", "mask", "other", "symbol", "then")

    def __init__(self, symbol: Symbol | None, decision: Decision, mask: int, guards: Guards | None) -> None:
        self.symbol = symbol
        self.decision = decision
        self.mask = mask
        self.guards = guards
        self.then = Log()
        self.other = Log()
        self.cause = decision.cause
        self.known: bool | None = None
        self.left = Left()  # shared by the copies of this node for fewer lanes

    @property
    def exits(self) -> tuple[str, str]:
        """How each side left: "", return, break, continue, raise, exit."""
        return self.left.words

    @exits.setter
    def exits(self, words: tuple[str, str]) -> None:
        self.left.words = words

    def parting(self, below: LogNode) -> tuple[Decision, ...]:
        """What some lanes have left by, on the side that a node is on."""
        if not any(self.left.parting):
            return ()
        return self.left.parting[0 if any(one is below for one in self.then.nodes) else 1]


class Loop:
    """A loop whose body was run once. `trip` is the number of turns where it is known per lane; `cause` says why
    the number may differ where it is not."""

    __slots__ = (
        *("again", "asked", "body", "born", "carried", "cause", "decision", "entered", "guards"),
        *("kept_by", "kind", "mask", "objects", "rebound", "subject", "through", "trip", "variant"),
    )

    def __init__(
        self,
        decision: Decision,
        mask: int,
        guards: Guards | None,
        trip: Value | None,
        cause: Cause | None,
        subject: Value | None = None,
        kind: str = "for",
    ) -> None:
        self.decision = decision
        self.mask = mask
        self.guards = guards
        self.body = Log()
        self.trip = trip
        self.cause = cause
        self.subject = subject
        self.kind = kind
        self.asked: Symbol | None = None  # what a `while` asks, where nobody can tell
        self.again = True  # does any lane come to the end of a turn, and to the next one?
        self.through = True  # without a `continue`?
        self.born = (0, 0)  # numbers of the fresh symbols that a turn makes: new in every turn
        self.objects = 0  # how many objects there were before the first turn
        self.variant: set[Symbol] = set()  # further symbols that are new in every turn
        self.entered: dict[Symbol, Symbol] = {}  # what each of them is in the first turn, where there is always one
        self.carried: dict[Symbol, Value] = {}  # what a turn leaves for each of them to the next one
        self.kept_by: list[tuple[Symbol, Value]] = []  # the same for each place, where several held the one at first
        self.rebound: set[tuple[int, Any]] = set()  # these places


class HandlerLog:
    """What a rank does when the attempt fails with one of `types`."""

    __slots__ = ("at", "ends", "exit", "exit_at", "log", "met", "of_data", "raised", "shared", "types")

    def __init__(self, types: tuple[str, ...], at: Place, shared: bool) -> None:
        self.types = types
        self.log = Log()
        self.met = 0  # how many nodes of the body no rank fails to come to
        self.exit = ""  # "" falls through; return, break, continue, raise, exit
        self.exit_at = at  # where it does
        self.at = at
        self.shared = shared  # every rank raises this together
        self.of_data = False  # the body worked on this rank's data, and the handler is for what that may raise
        self.raised: list[Decision] = []  # where the program itself raises what is caught here
        self.ends: Decision | None = None  # an iterator ran dry, on some ranks first


class Attempt:
    """`try`, or a `with suppress(...)`: the body as it runs without failure, the handlers, the final part."""

    __slots__ = ("again", "at", "body", "final", "function", "guards", "handlers", "kind", "mask", "path")

    def __init__(self, path: str, at: Place, mask: int, guards: Guards | None, function: str, kind: str) -> None:
        self.path = path
        self.at = at
        self.mask = mask
        self.guards = guards
        self.body = Log()
        self.handlers: list[HandlerLog] = []
        self.final: Log | None = None
        self.function = function
        self.kind = kind  # try | suppress
        self.again = False  # in a method that a framework calls in every turn of its loop


LogNode = Event | Call | Choice | Loop | Attempt


ANSWERS_FOR = frozenset({"not", "bool", "compare ==", "compare is"})


def plain_question(symbol: Symbol | None) -> tuple[Symbol | None, bool]:
    """`not x` asks for `x`, the other way round; `x == True` and `bool(x)` ask for it, too."""
    given = True
    while symbol is not None and symbol.key[0] in ANSWERS_FOR:
        match symbol.key:
            case ("not", Symbol() as inner) | ("compare ==" | "compare is", Symbol() as inner, ("bool", "False")):
                symbol, given = inner, not given
            case ("bool", Symbol() as inner) | ("compare ==" | "compare is", Symbol() as inner, ("bool", "True")):
                symbol = inner
            case _:
                break
    return symbol, given


def questions_in(symbol: Symbol) -> frozenset[Symbol]:
    """The questions that an `and`, `or` or `not` puts together."""
    if symbol.key[0] not in ("and", "or", "not"):
        return frozenset({symbol})
    return frozenset().union(*(questions_in(part) for part in symbol.key[1:] if isinstance(part, Symbol)))


def equality(asked: Symbol) -> tuple[Symbol, str | int] | None:
    """`x == "a"` tells of `x` that it is nothing else."""
    match asked.key:  # a question that is asked anew in every turn has the turn behind its sides
        case ("compare ==", Symbol() as subject, str() | int() as constant):
            return subject, constant
    return None


def told(question: Symbol | None, side: bool) -> tuple[tuple[Any, Any], ...]:
    """What is known on this side of a question: its answer, and what is equal to which constant."""
    if question is None:
        return ()
    if question.told is None:
        question.told = tuple(tuple(tells(question, answer, 4)) for answer in (False, True))
    found: tuple[tuple[Any, Any], ...] = question.told[side]
    return found


def tells(question: Symbol, side: bool, depth: int) -> Iterator[tuple[Any, Any]]:
    asked, given = plain_question(question)
    if asked is None:
        return
    yield asked, side == given
    if depth and (asked.key[0], side == given) in (("and", True), ("or", False)):
        for part in asked.key[1:]:
            yield from tells(part, side == given, depth - 1)
    if depth and asked.key[0] == "phi":
        yield from told_by_sides(asked, side == given, depth - 1)
    equal = equality(asked) if side == given else None
    if equal is not None:
        yield ("equal to", equal[0]), equal[1]


def implied(question: Symbol | None, known: Mapping[Any, Any]) -> bool | None:
    """The answer to a question where those to its parts, or to itself, are known."""
    asked, given = plain_question(question)
    if asked is None:
        return None
    if asked in known:
        return bool(known[asked] is given)
    equal = equality(asked)
    if equal is not None and ("equal to", equal[0]) in known:
        return (known["equal to", equal[0]] == equal[1]) is given
    if asked.key[0] == "is none" and ("equal to", asked.key[1]) in known:
        return not given  # it is a text or a number
    if asked.key[0] not in ("and", "or"):
        found = ranges.follows(asked, known.items())
        return None if found is None else found is given
    decides = asked.key[0] == "or"  # one part that is so answers the whole
    parts = [implied(part, known) if isinstance(part, Symbol) else None for part in asked.key[1:]]
    if decides in parts:
        return decides is given
    return None if None in parts else (not decides) is given


def told_by_sides(asked: Symbol, answer: bool, depth: int) -> Iterator[tuple[Any, Any]]:
    """What a branch has left is true (or not) on one of its sides only: then that side was taken."""
    if len(asked.key) != 4 or not isinstance(asked.key[1], Symbol):
        return
    question, then, other = asked.key[1:]
    for taken, side, opposite in ((True, then, other), (False, other, then)):
        if plain_truth(opposite) is (not answer) and plain_truth(side) is not (not answer):
            yield from tells(question, taken, depth)
            if isinstance(side, Symbol):
                yield from tells(side, answer, depth)


def plain_truth(part: object, depth: int = 4) -> bool | None:
    """Whether a constant in a symbol's key is true, or all that branches may have left there; None for all else."""
    if isinstance(part, Symbol):
        if not depth or part.key[0] not in ("phi", "split") or len(part.key) != 4:
            return None
        then, other = (plain_truth(side, depth - 1) for side in part.key[2:])
        return then if then is other else None
    if part is None or type(part) in (int, str):
        return bool(part)
    if type(part) is tuple and part[:1] == ("bool",):
        return bool(part[1] == "True")
    return None


def lanes_that_talk(log: Log) -> int:
    talking = 0
    for node in log.nodes:
        missing = node.mask & ~talking
        if not missing:
            continue
        if isinstance(node, Event):
            if node.kind == "collective" and node.group is not None:
                for lane in range(missing.bit_length()):
                    if missing >> lane & 1 and node.group.members[lane]:
                        talking |= 1 << lane
        else:
            for inner in inner_logs(node):
                talking |= inner.talking_lanes & node.mask
    return talking


def inner_logs(node: LogNode) -> tuple[Log, ...]:
    if isinstance(node, Event):
        return ()
    if isinstance(node, Call):
        return (node.log,)
    if isinstance(node, Choice):
        return (node.then, node.other)
    if isinstance(node, Loop):
        return (node.body,)
    final = () if node.final is None else (node.final,)
    return (node.body, *(handler.log for handler in node.handlers), *final)
