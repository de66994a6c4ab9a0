"""What state does the abstract machine keep, and how is it written, undone and joined?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from dtlint.findings import Step
from dtlint.ir import nodes as ir
from dtlint.machine.joining import PUT_ON, either_tree, join, taken_off
from dtlint.machine.lanes import World, overlay, restrict
from dtlint.machine.logs import Choice, Decision, Event, Group, Guards, Log, LogNode, Place, decisions, plain_question
from dtlint.machine.names.frames import Frame, Write
from dtlint.machine.noted import Noted
from dtlint.machine.uses import Uses
from dtlint.machine.values import (
    FILLED,
    MISSING,
    NONE,
    Cause,
    ClassRef,
    Const,
    FunctionRef,
    Object,
    Row,
    Slots,
    Symbol,
    Symbols,
    Trail,
    Tuple,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from dtlint.knowledge.known import Knowledge
    from dtlint.project.modules import Project

MAX_SINKS = 6
IN_WORKER = "in worker"  # fact: is this run by a worker, or by a loader that has none? Absent where nobody knows
TRAINING = "training"  # fact: does a framework make a step of its training here?
OPEN = ("no_sync", "no_grad", "join")  # facts: how many contexts of these are open
# facts of whoever calls, by which the same call on the same arguments says other things
AROUND = (IN_WORKER, TRAINING, *OPEN)
DEEPEST = 48  # calls within calls, whatever the entry
CHANGED_NOTHING = "changed nothing"  # fact of the run: calls of which nothing is left but what they give back


class OutOfBudget(Exception):
    """This entry point costs more than the budget allows."""


class Machine:
    """The interpreter's registers. What it does with them lives in statements, expressions, calls and library.

    `evaluate` and `run` are handed in (`run.make_machine`): everything below them comes back to them.
    """

    evaluate: Callable[[ir.Expr, int], Value]
    run: Callable[[Iterable[ir.Stmt], int], int]

    def __init__(self, project: Project, knowledge: Knowledge, world: World, budget: int = 400_000) -> None:
        self.project = project
        self.knowledge = knowledge
        self.world = world
        self.symbols = Symbols()
        self.journal: list[tuple[dict[Any, Value], Any, Value]] = []
        self.noted = Noted()
        # where a thing is kept behind a branch of which a side has left another, or something that nobody knows
        self.doubtful: list[tuple[dict[Any, Value], Any]] = []
        self.over: list[Slots] = []  # variables of calls that have ended, held so that an id stays theirs
        self.sinks: list[tuple[Log, int]] = []
        self.frame: Frame = None  # type: ignore[assignment]
        self.paths = frozenset(project.paths)
        self.modules: dict[str, Frame] = {}
        self.loading: set[str] = set()
        self.depth = 0
        self.spent = 0
        self.whole = self.budget = budget  # steps of an entry point, and those that what is being tried may take
        self.objects = 0
        self.groups = 0
        self.deepest = DEEPEST  # how many calls deep an entry point is followed
        self.near = DEEPEST  # how many calls deep helpers that do not communicate are followed too
        self.own: Value | None = None  # the instance that the entry point is a method of
        self.decorating: int | None = None  # how deep the stack was where a decorator is being applied
        self.stack: list[Any] = []  # functions being run, to stop recursion
        self.uses = Uses()  # what the unit looked into
        self.depends: dict[str, Uses] = {}  # the same, of a module's body alone
        self.unfinished_modules: dict[str, str] = {}
        self.remembered: dict[Any, Any] = {}  # calls of this entry point that changed nothing
        self.differences: Counter[str] = Counter()  # how many differing values have been computed so far, by cause
        self.heap_reads = 0
        self.heap_writes = 0
        self.oldest_write = 1 << 60  # the smallest serial written to since the innermost remembered call began
        self.raised: list[tuple[ClassRef | str, Decision]] = []  # exceptions that only the program raises, and where
        self.flow: Any = None  # what a library says about the facts of results nobody computes
        self.facts: dict[str, Any] = {}
        self.told: dict[Symbol, Value] = {}  # what the program itself says of values nobody knows
        self.notes: dict[Any, Any] = {}  # what libraries keep from one entry point to the next
        self.assumed: list[tuple[Symbol, bool]] = []  # answers to undecided questions on the side that is being run
        self.receiver: Value | None = None  # of the method call being evaluated
        self.making: dict[int, ir.Call] = {}  # number of an instance → the call that made it
        self.putting: set[int] = set()  # and of those whose `__setattr__` is putting something into them
        self.handing_on: set[int] = set()  # numbers of the instances whose `__getattr__` is being asked
        self.instances: dict[Any, Any] = {}  # instances that entry points of this unit begin on
        self.born: list[Object] | None = None  # what is made while such an instance is made
        self.trying = 0  # how many `try` with handlers are open
        self.asking: ir.If | None = None  # the branch whose question is being worked out
        self.selected: frozenset[str] = frozenset()  # paths of the project that are worth analysing
        self.interesting: frozenset[str] = frozenset()  # names through which communication can be reached
        self.meaningful: frozenset[str] = frozenset()  # names through which anything the packs know can be reached
        # loops that turn more often on some lanes: the newest object before, why, and the marks of what they walk over
        self.uneven: list[tuple[int, Cause, frozenset[Any]]] = []
        self.current_at: tuple[int, int, int, int] = (1, 1, 1, 1)
        self.world_group = Group("world", tuple([world.full] * world.size))

    # --- unknowns ------------------------------------------------------------------------------------------------

    def unknown(
        self,
        *key: Any,
        cause: Cause | None = None,
        tags: frozenset[Any] = frozenset(),
        like: Value | None = None,
    ) -> Unknown:
        return Unknown(self.symbols.of(*key), cause, tags, like)

    def fresh(self, what: str, cause: Cause | None = None, tags: frozenset[Any] = frozenset()) -> Unknown:
        return Unknown(self.symbols.fresh(what), cause, tags)

    def step(self, text: str, at: tuple[int, int, int, int] | None = None) -> Step:
        return Step(self.frame.path, (at or self.current_at)[0], text)

    def cause(self, kind: str, text: str, at: tuple[int, int, int, int] | None = None) -> Cause:
        return Cause(kind, Trail(self.step(text, at)))

    def rank_row(self, numbers: Iterable[Any], kind: str, text: str) -> Value:
        lanes: tuple[Value, ...] = tuple(Const(number, "rank") for number in numbers)
        return Row(lanes, self.cause(kind, text))

    # --- objects -------------------------------------------------------------------------------------------------

    def number(self) -> int:
        """What is made, and every call, gets the next one: it tells what was there before."""
        self.objects += 1
        return self.objects

    def new(self, kind: ClassRef | str, mask: int) -> Object:
        made = Object(kind, mask, self.number(), self.current_at, self.frame.path)
        if self.born is not None:
            self.born.append(made)
        return made

    def anew(self, thing: Object, mask: int) -> Object:
        """A second thing that holds what this one holds."""
        made = self.new(thing.kind, mask)
        made.attributes.update(thing.attributes)
        made.facts.update(thing.facts)
        return made

    def new_list(self, items: tuple[Value, ...] | None, mask: int, kind: str = "list") -> Object:
        made = self.new(kind, mask)
        made.attributes["[]"] = Tuple(items) if items is not None else self.fresh("items")
        return made

    def get(self, thing: Object, name: Any) -> Value | None:
        self.heap_reads += 1
        found = thing.attributes.get(name)
        return None if found is None or found is MISSING else found

    def assumes(self, asked: Symbol, answer: bool) -> bool:
        """Is this the side of a branch where the question has this answer?"""
        return (asked, answer) in self.assumed

    def set(self, thing: Object, name: Any, value: Value, mask: int) -> None:
        self.store(thing.attributes, name, value, mask, thing.birth)

    # --- writes, journal, joins ----------------------------------------------------------------------------------

    def store(self, container: dict[Any, Value], name: Any, value: Value, mask: int, owners: int) -> None:
        old = before = container.get(name, MISSING)
        if mask & owners != owners:
            if type(container) is Slots:
                old = bound_by(container, name, old, mask)
            value = overlay(old, value, mask, self.world, self.cause_of_change(name, value))
        elif type(container) is Slots and container.partly is not None:
            container.partly.pop(name, None)
        self.journal.append((container, name, before))
        container[name] = value
        if owners != 0 and type(container) is Slots and container.serial:
            self.heap_writes += 1
            if container.serial < self.oldest_write:
                self.oldest_write = container.serial

    def replace(self, container: dict[Any, Value], name: Any, value: Value) -> None:
        """From here on the location holds this, though nobody has written it: a side or a turn has left it so."""
        self.journal.append((container, name, container.get(name, MISSING)))
        container[name] = value
        self.changed(container)

    def changed(self, container: dict[Any, Value]) -> None:
        """A thing holds something else than a remembered call has read of it."""
        if type(container) is Slots and container.serial:
            self.heap_writes += 1

    def assign(self, name: str, value: Value, mask: int) -> None:
        frame = self.frame
        if name in frame.global_names:
            target: Frame | None = frame.closure
            while target is not None and name not in target.variables:
                target = target.closure
            frame = target or frame.globals
        if frame is not self.frame:
            self.heap_writes += 1  # a global or an outer variable
            self.oldest_write = 0
            self.remembered.clear()  # any of those calls may have read it
        self.store(frame.variables, name, value, mask, frame.mask)

    def end(self, frame: Frame) -> None:
        """The call is over. No rollback need touch its variables, unless a function defined in it may read them."""
        self.noted.again(frame.noted_away)
        if not frame.captured:
            frame.variables.over = True
            self.over.append(frame.variables)

    def changed_nothing(self) -> None:
        """Of the call that stands here, all that is left is what it gives back."""
        self.facts.setdefault(CHANGED_NOTHING, set()).add((self.frame.path, self.current_at))

    def control_cause(self) -> Cause | None:
        frame: Frame | None = self.frame
        while frame is not None:
            for decision in decisions(frame.guards):
                if decision.cause is not None:
                    return decision.cause
            frame = frame.caller
        return None

    def cause_of_change(self, name: Any, value: Value) -> Cause | None:
        """What parts the lanes that write here from the others; that they write is a step of its own, where what they
        write does not differ by itself."""
        cause = self.control_cause()
        if cause is None or value.cause is not None or not isinstance(name, str) or not name.isidentifier():
            return cause
        return cause.then(self.step(f"`{name}` changes on some ranks only"))

    def ended(self, lanes: int, at: Place) -> None:
        """Some lanes end the program here: under which decision that parts them from the others?"""
        frame = self.frame
        guard = next((one for one in decisions(frame.guards) if one.cause is not None and one.taken == lanes), None)
        if guard is not None and guard.taken != guard.before:
            text, cause, before = guard.text, guard.cause, guard.before
            one = Decision("exit", frame.path, guard.at, text, cause, lanes, before, frame.scope, at, "exit")
            frame.ended.append(one)

    def parted(self, mask: int) -> bool:
        """Are some lanes elsewhere, or may they be?"""
        return mask != self.world.full or self.control_cause() is not None

    def rollback(self, mark: int) -> list[Write]:
        """Undo every write since `mark`; return what the locations held before undoing. What is over stays as it is."""
        latest: dict[tuple[int, Any], Write] = {}
        journal = self.journal
        while len(journal) > mark:
            container, name, old = journal.pop()
            if type(container) is Slots and container.over:
                continue
            self.changed(container)  # what a call has read on this side is not what the next one finds
            place = (id(container), name)
            if place not in latest:
                latest[place] = (container, name, container.get(name, MISSING))
            if old is MISSING:
                container.pop(name, None)
            else:
                container[name] = old
        return list(latest.values())

    def join_writes(
        self, then: list[Write], other: list[Write], symbol: Symbol, cause: Cause | None, mask: int, older: int = 0
    ) -> None:
        """Bring the two sides of an undecided branch back together; things up to number `older` were there before."""
        sides: dict[tuple[int, Any], list[Any]] = {}
        for side, writes in enumerate((then, other)):
            for container, name, value in writes:
                entry = sides.setdefault((id(container), name), [container, name, None, None])
                entry[2 + side] = value
        either = []
        for entry in sides.values():
            container, name, left, right = entry
            alone = right if left is None else left if right is None else MISSING
            if alone is not MISSING and older and born_since(container, name, older):
                self.apply_writes([(container, name, alone)])
            else:
                either.append(entry)
        # what objects hold before the variables that hold the objects: which of two is kept depends on it
        for container, name, left, right in sorted(either, key=of_variable):
            old = container.get(name, MISSING)
            left, right = old if left is None else left, old if right is None else right
            question, answer = plain_question(symbol)
            joined = taken_off(left, right, older, question, answer)
            if joined is None and cause is None:
                joined = either_tree(left, right, lambda one, other: join(one, other, self.symbols, symbol, None))
            joined = joined or self.join_of_lanes(left, right, symbol, cause, mask, older)
            if cause is not None:
                from dtlint.machine.contents.presence import either_is_there

                joined = either_is_there(self, joined, left, right)
            if name == "[]" and isinstance(joined, Unknown) and joined.like == Tuple(()) and joined.cause is None:
                joined = Tuple(())  # what a container holds on one side, and may hold on the other
            if (
                joined is old
                and type(old) is Object
                and any(type(one) in (Unknown, Object) for one in (left, right) if one is not old)
            ):
                self.doubtful.append((container, name))
            if joined is not old:
                self.replace(container, name, joined)
                made, first = restrict(joined, mask), restrict(left, mask)  # for those that came to the branch
                if isinstance(made, Object) and made.number > older and cause is None:
                    from dtlint.machine.starts import settings

                    instead = restrict(right, mask) if made is first else first
                    if made.facts.get("wrapped") and made.attributes.get("module") == instead:
                        made.facts[PUT_ON] = (question, (made is first) is answer)
                    if made.made_if is None and (instead in (NONE, MISSING) or nothing_yet(instead, question)):
                        made.made_if = (question or symbol, (made is first) is answer)
                    settings.perhaps_given(self, made, instead)
                if name == "[]" and isinstance(joined, Tuple) and Tuple(()) in (left, right):
                    self.perhaps_empty(container, symbol, cause)
                elif MISSING in (left, right) and type(name) is tuple and name[0] == "key":
                    others = any(type(one) is tuple and one[0] == "key" and one != name for one in container)
                    if not others or FILLED in container:
                        self.perhaps_empty(container, symbol, cause)

    def join_of_lanes(
        self, left: Value, right: Value, symbol: Symbol, cause: Cause | None, mask: int, older: int
    ) -> Value:
        """Only the lanes in `mask` came to the branch. What they hold alike on either side is joined as one value, and
        the others keep what they have."""
        if mask != self.world.full:
            here, there = restrict(left, mask), restrict(right, mask)
            if here is not left or there is not right:
                joined = join(here, there, self.symbols, symbol, cause, older)
                found = overlay(right if here is left else left, joined, mask, self.world, self.control_cause())
                if isinstance(found, Row) or (here is not left and there is not right):
                    return found  # what parts the ranks is still there, or was there on neither side
        return join(left, right, self.symbols, symbol, cause, older)

    def perhaps_empty(self, container: Any, symbol: Symbol, cause: Cause | None) -> None:
        """The items are kept for what they are; whether there are any, only one side of a branch says."""
        self.replace(container, FILLED, Unknown(self.symbols.of("filled", symbol), cause))

    def apply_writes(self, writes: list[Write]) -> None:
        for container, name, value in writes:
            self.replace(container, name, value)

    # --- logs ----------------------------------------------------------------------------------------------------

    def emit(self, node: LogNode) -> None:
        for log, mask in self.sinks:
            lanes = node.mask & mask
            if lanes == node.mask:
                log.nodes.append(node)
            elif lanes:
                log.nodes.append(narrowed(node, lanes))

    def retract(self, node: LogNode) -> None:
        """Take back a node nothing happened in."""
        for log, _ in self.sinks:
            if log.nodes and log.nodes[-1] is node:
                log.nodes.pop()

    def emit_event(self, kind: str, op: str, api: str, mask: int, **more: Any) -> Event:
        frame = self.frame
        at, path = more.pop("at", None) or self.current_at, more.pop("path", frame.path)
        event = Event(kind, op, api, mask, frame.guards, path, at, frame.scope, **more)
        self.emit(event)
        return event

    def part(self, decision: Decision, lanes: int) -> None:
        """From here to the end of the scope, what `lanes` do is one side of `decision`; the other side left."""
        asked = decision.symbol
        if asked is not None and decision.exit_answer is False:
            asked = self.symbols.of("not", asked)
        choice = Choice(asked, decision, lanes, self.frame.guards)
        choice.exits = (decision.exit_word or "exit", "")
        self.emit(choice)
        rest = [(log, mask & ~lanes) for log, mask in self.sinks if mask & ~lanes]
        self.sinks = limited([*rest, (choice.other, lanes)], self.sinks)

    def guarded(self, decision: Decision, run: Callable[[], int]) -> int:
        saved = self.frame.guards
        self.frame.guards = Guards(decision, saved)
        try:
            return run()
        finally:
            self.frame.guards = saved

    def consult(self, function: FunctionRef) -> None:
        """What stands in its body is about to matter, also when the body is not run."""
        if isinstance(function.node, ir.Function):
            self.uses.consulted.add((function.path, function.node.qualname))

    def spend(self, amount: int = 1) -> None:
        self.spent += amount
        if self.spent > self.budget:
            raise OutOfBudget

    def weary(self) -> bool:
        """Half of the budget is gone; the rest is for what may communicate, so that the program comes to its end."""
        return 2 * self.spent > self.whole

    @contextmanager
    def beside(self, log: Log, mask: int) -> Iterator[None]:
        """What is run meanwhile is told in a log of its own, and nobody is gone behind it, whatever it ends with."""
        frame, sinks = self.frame, self.sinks
        left, last_exit, leavings = frame.left, frame.last_exit, len(frame.leavings)
        self.sinks = [(log, mask)]
        try:
            yield
        finally:
            self.sinks, frame.left, frame.last_exit = sinks, left, last_exit
            del frame.leavings[leavings:]

    @contextmanager
    def at_most(self, cost: int) -> Iterator[None]:
        """Work that is given up, and undone by whoever asked for it, where it takes more steps than these."""
        saved = self.budget, self.asking, self.trying
        questions = len(self.assumed)
        self.budget = min(self.budget, self.spent + cost)
        try:
            yield
        finally:
            self.budget, self.asking, self.trying = saved
            del self.assumed[questions:]


def bound_by(container: Slots, name: Any, old: Value, mask: int) -> Value:
    """What stands there for the lanes that write: nothing, where they alone have bound it so far."""
    partly = container.partly
    if old is MISSING:
        if partly is None:
            partly = container.partly = {}
        partly[name] = mask
    elif partly is not None and name in partly:
        if partly[name] & ~mask == 0:
            old = MISSING
        partly[name] |= mask
    return old


def born_since(container: Any, name: Any, older: int) -> bool:
    """Was it made below the branch? Then it is, where it is at all, as the side that has made it left it."""
    return type(container) is Slots and container.newer > older and name not in container


def of_variable(side: list[Any]) -> bool:
    return not (type(side[0]) is Slots and side[0].serial)


def limited(sinks: list[tuple[Log, int]], fallback: list[tuple[Log, int]]) -> list[tuple[Log, int]]:
    return sinks if len(sinks) <= MAX_SINKS else fallback


def narrowed(node: LogNode, lanes: int) -> LogNode:
    """The same node for fewer lanes; what hangs below is shared."""
    copy: Any = object.__new__(type(node))
    for name in type(node).__slots__:
        setattr(copy, name, getattr(node, name))
    copy.mask = lanes
    return copy


def nothing_yet(value: Value, question: Symbol | None) -> bool:
    """What a loop found to be None at first, where it is not this that is asked: `if self._scaler is None: …` below the
    option that wants one makes it in the first turn, and finds it in the others."""
    if not isinstance(value, Unknown) or value.symbol.key[0] != "loop" or value.symbol.key[3:] != (None,):
        return False
    return question is None or question.key != ("is none", value.symbol)
