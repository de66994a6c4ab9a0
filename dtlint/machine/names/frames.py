"""Where do names live while a function, class body or module is being run?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.machine.logs import Decision, Guards
from dtlint.machine.values import Cause, FunctionRef, Slots, Symbol, Value

HANDED_ON = "<item>"  # the name under which `yield from` holds each item; no later turn reads it
# one remembered write: (container, key, value); the container is the variable or attribute dictionary
Write = tuple[dict[Any, Value], Any, Value]


@dataclass(slots=True)
class Leaving:
    """A side of an undecided branch that left: what it had written, and the decision that made it leave."""

    word: str
    decision: Decision
    mask: int
    writes: list[Write]
    sinks: list[Any] = field(default_factory=list)  # where it was writing its log
    inner: bool = False  # on a side that all have left
    both: bool = False  # do those on the other side leave as well, in another way?
    begun: bool = True  # the process group was there by then
    mark: int | None = None  # how much was written when it left, where what follows is written by the others only
    older: int = 0  # the newest object there was when it was decided


@dataclass(slots=True)
class LoopState:
    """Lanes and branches that left the current turn of the innermost loop; what it walks over, and the newest object
    there was before it."""

    broke: int = 0
    continued: int = 0
    leavings: list[Leaving] = field(default_factory=list)
    subject: Value | None = None
    item: Value | None = None  # that a `for` has come to
    newest: int = 0
    managers: int = 0  # how many context managers were entered outside of the loop
    parted: dict[int, tuple[Decision, Any]] = field(default_factory=dict)  # who breaks from who does not, and where
    one_by_one: bool = False  # each turn is run by itself, as it comes
    number: int = 0  # of its node, as the symbols of what it changes have it
    mark: int = 0  # how much was written when its turn began
    asked: Any = None  # what a `while` asks before each turn, while it asks


@dataclass(slots=True)
class TryState:
    """The body of a `try` that is run: who has been caught so far, and the sides of branches they were on."""

    node: ir.Try
    loops: int  # that were entered outside of it
    managers: int
    caught: int = 0
    leavings: list[Leaving] = field(default_factory=list)


Way = tuple[tuple[Symbol, bool], ...]


@dataclass(slots=True)
class Returned:
    mask: int
    value: Value
    cause: Cause | None
    decision: Decision | None
    why: Cause | None = None
    way: Way | None = ()  # the answers that led here; None where a loop or a failure did
    asked: Symbol | None = None  # the question that ranks have answered otherwise before they came here
    causes: dict[Symbol, Cause] = field(default_factory=dict)  # why they do, by the questions on the way


class Frame:
    __slots__ = (
        "called_at",
        "answers",
        "caller",
        "captured",
        "choices",
        "closure",
        "ended",
        "exited",
        "exits",
        "function",
        "global_names",
        "globals",
        "guards",
        "is_class",
        "last_exit",
        "leavings",
        "left_on",
        "left",
        "loops",
        "mask",
        "node",
        "noted_away",
        "on_yield",
        "owner",
        "path",
        "receiver",
        "returns",
        "scope",
        "tries",
        "variables",
        "yields",
    )

    def __init__(
        self,
        path: str,
        scope: str,
        module: Frame | None,
        closure: Frame | None,
        caller: Frame | None,
        mask: int,
        function: FunctionRef | None = None,
    ) -> None:
        self.path = path
        self.scope = scope
        self.function = function
        self.variables = Slots()
        self.globals: Frame = module or self
        self.closure = closure
        self.caller = caller
        self.captured = False  # may a function that is defined in here outlive the call?
        self.called_at: tuple[int, int, int, int] | None = None  # where in the caller
        self.mask = mask
        self.guards: Guards | None = None
        self.returns: list[Returned] = []
        self.loops: list[LoopState] = []
        self.tries: list[TryState] = []
        self.leavings: list[Leaving] = []
        self.left_on: list[
            tuple[tuple[Any, ...], int]
        ] = []  # lanes that left on a side of a branch where others stayed
        self.owner = function.owner if function else None
        self.receiver: Value | None = None
        self.on_yield: Any = None
        self.yields: list[Value] = []
        self.global_names: frozenset[str] = frozenset()
        self.left = 0  # lanes that raised or ended the program in here
        self.ended: list[Decision] = []  # who ended the program in here, and what had parted them from the others
        self.choices: list[Decision] = []
        self.noted_away: list[Any] = []  # notes of sides that have left, for whoever comes back to the caller
        self.answers: list[tuple[Symbol, bool] | None] = []  # to the open choices, on the side that is run
        self.exits: list[Callable[[int], None]] = []  # of the context managers that have been entered
        self.exited: list[Any] = []  # the last ways out that have gone through them
        self.is_class = False
        self.last_exit: tuple[str, Any] = ("", None)
        self.node = function.node if function else None

    @property
    def one_by_one(self) -> bool:
        """Is each turn of the loops it is in run by itself? Then what a turn takes out of a list is known."""
        return all(loop.one_by_one for loop in self.loops)

    def and_callers(self) -> Iterator[Frame]:
        """This one, and those that have called it, the innermost first."""
        frame: Frame | None = self
        while frame is not None:
            yield frame
            frame = frame.caller

    def capture(self) -> None:
        """A function is defined in here: it may read these variables, and those around them, when the call is over."""
        frame: Frame | None = self
        while frame is not None and not frame.captured:
            frame.captured = True
            frame = frame.closure
