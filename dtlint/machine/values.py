"""What can a variable hold on each of the imaginary ranks?

A value is the same on all lanes (`Const`, an object, an `Unknown` without a cause), or it differs: a `Row` says what
each lane holds, an `Unknown` with a `Cause` only that lanes may disagree. Whatever cannot be resolved is *same*:
dtlint reports what it can show, never what it could not rule out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from dtlint.findings import Step
from dtlint.machine.contents.number_types import numbers_in

if TYPE_CHECKING:
    from dtlint.ir import nodes as ir
    from dtlint.machine.names.frames import Frame

CONTAINERS = ("list", "dict", "set")  # kinds of objects
ITEMS = "items"  # symbol: one of the items of a list that has grown, of which each part is named
CHAIN = "chain"  # symbol: what several iterables give, one after the other


class Trail:
    """The way a difference took through the program, newest step first; shared, never copied."""

    __slots__ = ("before", "length", "step")
    length: int

    def __init__(self, step: Step, before: Trail | None = None) -> None:
        self.step = step
        self.before = before
        self.length = 1 + (before.length if before else 0)

    def __iter__(self) -> Iterator[Step]:
        link: Trail | None = self
        while link is not None:
            yield link.step
            link = link.before

    def steps(self) -> tuple[Step, ...]:
        return tuple(reversed(list(self)))


# kinds of causes: who a rank is, said of it and of what is made from it
BY_RANK = frozenset({"rank", "local rank", "node", "group rank"})
BY_PROCESS = BY_RANK | {"host"}
BY_SHARE = BY_RANK | {"device", "shard"}


# What makes names, seeds and time stamps: another value, and none of them is one on which something fails.
NAMING = frozenset({"clock", "process", "random"})


class Cause:
    """Why lanes differ: `kind` is rank, local rank, node, group rank, data, clock, files, random, memory, host,
    exception, queue, signal, length or state; the trail leads back to the source line."""

    __slots__ = ("kind", "trail")

    def __init__(self, kind: str, trail: Trail | None = None) -> None:
        self.kind = kind
        self.trail = trail

    def then(self, step: Step) -> Cause:
        if self.trail is not None and (self.trail.step == step or self.trail.length >= 24):
            return self
        return Cause(self.kind, Trail(step, self.trail))

    def steps(self) -> tuple[Step, ...]:
        return self.trail.steps() if self.trail else ()


def telling(causes: Iterable[Cause | None]) -> Cause | None:
    """The first of them; but files, which all ranks find alike as a rule, say less than any other."""
    found = None
    for cause in causes:
        if cause is not None and cause.kind != "files":
            return cause
        found = found or cause
    return found


class Value:
    __slots__ = ()
    cause: Cause | None = None
    tags: frozenset[Any] = frozenset()


class Const(Value):
    """One Python constant on every lane. `scale` marks sizes of the imaginary world ("world", "local", …): they
    are true of our four ranks, not of the user's cluster, so comparing them with a literal decides nothing. Comparing
    them with a "rank" does."""

    __slots__ = ("scale", "value")

    def __init__(self, value: Any, scale: str | None = None) -> None:
        self.value = value
        self.scale = scale

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Const) and type(other.value) is type(self.value) and other.value == self.value

    def __hash__(self) -> int:
        try:
            return hash((type(self.value), self.value))
        except TypeError:
            return id(self.value)

    def __repr__(self) -> str:
        return f"Const({self.value!r})"


class Member(Const):
    """What a member of an enumeration stands for, and which member it is."""

    __slots__ = ("kind", "name")

    def __init__(self, held: Const, kind: ClassRef, name: str) -> None:
        super().__init__(held.value, held.scale)
        self.kind = kind
        self.name = name


TRUE, FALSE, NONE = Const(True), Const(False), Const(None)


class Symbol:
    """The identity of an unknown: equal computations on equal inputs share one symbol."""

    __slots__ = ("alike", "behind", "compared", "depth", "key", "numbers", "set_back", "told")

    def __init__(self, key: tuple[Any, ...], depth: int, numbers: str | None = None) -> None:
        self.key = key
        self.alike: bool | None = None  # was it made of nothing that differs between lanes, each time it was made?
        self.depth = depth
        self.behind: Symbol | None = None  # what has decided which value was returned, or what a model has returned
        self.numbers = numbers  # of which type, where nothing else is kept of a long computation
        self.set_back = False  # a counter of turns that some turn sets back to zero
        self.told: Any = None  # what `logs.told` says of it, and
        self.compared: Any = None  # what `ranges.compared` does, once somebody has asked

    def __repr__(self) -> str:
        return f"<{self.key[0]} {self.key[1] if len(self.key) > 1 else ''}>"


# a method is one step with its call; a place has many parts; what is asked of a number is asked whatever it is made of
NO_STEPS = frozenset({"attr", "text", "path", "op %", "compare ==", "compare !="})
DEEPEST, KEPT_STEPS = 10, 3
MOST = 400  # symbols of one computation that are looked at


class Either(NamedTuple):
    """What was there on the two sides of a branch, and what was told of both behind it."""

    question: Symbol
    then: Any
    other: Any
    tags: frozenset[Any]


class Symbols:
    """Hash-consing of symbols, so that comparing two is comparing two pointers."""

    def __init__(self) -> None:
        self.table: dict[tuple[Any, ...], Symbol] = {}
        self.count = 0
        self.cut: dict[tuple[Symbol, int], Symbol] = {}  # long computations, and what is kept of them
        self.either: dict[Symbol, Either] = {}  # by what a branch has left, which all ranks take alike
        self.made_on: dict[int, list[tuple[Symbol, bool, Any]]] = {}  # of things, by number
        self.parted: dict[Symbol, tuple[Object, Object]] = {}  # tensors, of which each rank has the one or the other
        self.made_apart: dict[Symbol, tuple[Value, Value]] = {}  # the same of things of the program's own classes
        self.telling: dict[Symbol, bool] = {}  # questions, and the answer for which ranks know who they are
        self.lasting: set[Symbol] = set()  # what stays known of a computation, however long it is

    def of(self, *key: Any) -> Symbol:
        found = self.table.get(key)
        if found is None:
            depth, step = 1, key[0] not in NO_STEPS
            for part in key:
                if type(part) is Symbol and part.depth + step > depth:
                    depth = part.depth + step
            if depth > DEEPEST and key[0] != "not":
                found = self.shortened(Symbol(key, depth), KEPT_STEPS)
            else:
                found = Symbol(key, depth)
            self.table[key] = found
        return found

    def shortened(self, symbol: Symbol, steps: int) -> Symbol:
        """What was done last is kept of a long computation, what it began with is not."""
        if symbol.depth <= 1:
            return symbol
        found = self.cut.get((symbol, steps))
        if found is None:
            if steps:
                left = steps - (symbol.key[0] not in NO_STEPS)
                key = tuple(self.shortened(part, left) if type(part) is Symbol else part for part in symbol.key)
                found = Symbol(key, 1 + max((part.depth for part in key if type(part) is Symbol), default=0))
            else:
                self.count += 1
                found = Symbol(("deep", self.count, *self.lasting_in(symbol), "fresh"), 1)
                found.numbers = numbers_in(symbol)
            self.cut[symbol, steps] = found
        return found

    def lasting_in(self, symbol: Symbol) -> list[Symbol]:
        """Which of the things that stay known was this made of?"""
        todo: list[Any] = [symbol] if self.lasting else []
        seen: dict[Symbol, None] = {}  # in the order they are found in
        while todo and len(seen) < MOST:
            one = todo.pop()
            if type(one) is tuple:
                todo.extend(one)
            elif type(one) is Symbol and one not in seen:
                seen[one] = None
                todo.extend(() if one in self.lasting else one.key)
        return [one for one in seen if one in self.lasting]

    def tell(self, question: Symbol, answer: bool) -> None:
        while question.key[0] == "not" and isinstance(question.key[1], Symbol):
            question, answer = question.key[1], not answer
        self.telling.setdefault(question, answer)

    def fresh(self, what: str) -> Symbol:
        self.count += 1
        return Symbol((what, self.count, "fresh"), 1)


class Unknown(Value):
    """A value nobody can compute. Without a cause it is the same on all lanes; `like` is what it may be when it
    is not None or missing; `tags` are facts that flow with it (the wrapped model a loss comes from, …)."""

    __slots__ = ("cause", "like", "symbol", "tags")

    def __init__(
        self,
        symbol: Symbol,
        cause: Cause | None = None,
        tags: frozenset[Any] = frozenset(),
        like: Value | None = None,
    ) -> None:
        self.symbol = symbol
        self.cause = cause
        self.tags = tags
        self.like = like

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Unknown)
            and other.symbol is self.symbol
            and (other.cause is None) == (self.cause is None)
            and other.tags == self.tags
        )

    def __hash__(self) -> int:
        return hash(id(self.symbol))

    def __repr__(self) -> str:
        return f"Unknown({self.symbol}{', differs: ' + self.cause.kind if self.cause else ''})"


class Row(Value):
    """One value per lane; lanes hold anything but another Row."""

    __slots__ = ("cause", "lanes")
    cause: Cause

    def __init__(self, lanes: tuple[Value, ...], cause: Cause) -> None:
        self.lanes = lanes
        self.cause = cause

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Row) and other.lanes == self.lanes

    def __hash__(self) -> int:
        return hash(self.lanes)

    def __repr__(self) -> str:
        return f"Row{self.lanes!r}"


class Tuple(Value):
    """A tuple whose items are known one by one."""

    __slots__ = ("items",)

    def __init__(self, items: tuple[Value, ...]) -> None:
        self.items = items

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tuple) and other.items == self.items

    def __hash__(self) -> int:
        return hash(self.items)

    def __repr__(self) -> str:
        return f"Tuple{self.items!r}"


class SliceValue(Value):
    __slots__ = ("lower", "step", "upper")

    def __init__(self, lower: Value, upper: Value, step: Value) -> None:
        self.lower, self.upper, self.step = lower, upper, step


class External(Value):
    """Something of a library, by its canonical dotted name: `torch.distributed.barrier`."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, External) and other.name == self.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"External({self.name})"


class ModuleRef(Value):
    """A module of the project; `path` is None for a package without `__init__.py`."""

    __slots__ = ("name", "path")

    def __init__(self, name: str, path: str | None) -> None:
        self.name = name
        self.path = path

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ModuleRef) and other.name == self.name and other.path == self.path

    def __hash__(self) -> int:
        return hash(self.name)


class FunctionRef(Value):
    """A function of the project, with the frame it closes over. `owner` is the class that defines it. `otherwise` is
    what a variable holds in its place, where the question has the other answer."""

    __slots__ = ("closure", "context_manager", "defaults", "given", "kind", "node", "otherwise", "owner", "path")

    def __init__(
        self,
        node: ir.Function | ir.Lambda,
        path: str,
        closure: Frame | None,
        owner: ClassRef | None = None,
        defaults: tuple[tuple[str, Value], ...] = (),
        kind: str = "function",  # function | property | static | class
        context_manager: bool = False,
    ) -> None:
        self.node = node
        self.path = path
        self.closure = closure
        self.owner = owner
        self.defaults = defaults
        self.kind = kind
        self.context_manager = context_manager
        self.given: Slots | None = None  # attributes the program gave it
        self.otherwise: Otherwise | None = None

    @property
    def name(self) -> str:
        return getattr(self.node, "qualname", "<lambda>")

    @property
    def within_another(self) -> bool:
        """It is defined in a function, and a part of what that one does: a step for `scan`, a loss for `grad`."""
        return self.closure is not None and self.closure is not self.closure.globals

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, FunctionRef)
            and other.node is self.node
            and other.closure is self.closure
            and other.kind == self.kind
            and other.otherwise == self.otherwise
        )

    def __hash__(self) -> int:
        return hash(id(self.node))

    def __repr__(self) -> str:
        return f"FunctionRef({self.name})"


class ClassRef(Value):
    """A class of the project."""

    __slots__ = ("attributes", "bases", "decorated", "library_bases", "line", "name", "node", "path")

    def __init__(self, node: ir.Class, path: str, bases: tuple[Value, ...], attributes: dict[str, Value]) -> None:
        self.node = node
        self.path = path
        self.bases = bases
        self.attributes = attributes
        self.name = node.qualname
        self.decorated: tuple[str, ...] = ()
        self.line: tuple[Value, ...] = ()  # of the class and its bases, once somebody has asked
        self.library_bases: tuple[str, ...] = ()  # those of libraries in it

    def __repr__(self) -> str:
        return f"ClassRef({self.name})"


class Bound(Value):
    """A method with its receiver, or any callable with leading arguments (`functools.partial`)."""

    __slots__ = ("extra", "function", "given", "keywords", "otherwise", "receiver")

    def __init__(
        self,
        function: Value,
        receiver: Value | None,
        extra: tuple[Value, ...] = (),
        keywords: tuple[tuple[str, Value], ...] = (),
    ) -> None:
        self.function = function
        self.receiver = receiver
        self.extra = extra
        self.keywords = keywords
        self.given: Slots | None = None  # attributes the program gave a partial
        self.otherwise: Otherwise | None = None

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Bound)
            and other.function == self.function
            and other.receiver == self.receiver
            and other.extra == self.extra
            and other.keywords == self.keywords
            and other.otherwise == self.otherwise
        )

    def __hash__(self) -> int:
        return hash(self.function)

    def __repr__(self) -> str:
        return f"Bound({self.function!r} of {self.receiver!r})"


Otherwise = tuple[Symbol, bool, Value]  # a question, the answer with which it is this, and what it is with the other


class Slots(dict[Any, Value]):
    """A dictionary of variables or attributes; `serial` tells whether an object's is older than a call, `newer` than
    how many objects it is, whosever it is, `partly` which lanes have bound what some have not, `over` that these were
    the variables of a call that has ended, so that nobody reads them any more."""

    __slots__ = ("newer", "over", "partly", "serial")

    def __init__(self, serial: int = 0) -> None:
        super().__init__()
        self.serial = self.newer = serial
        self.partly: dict[Any, int] | None = None
        self.over = False


class Object(Value):
    """Something with identity and mutable attributes: an instance of a project class (`kind` is a ClassRef), of a
    library class (`kind` is its canonical name), or a builtin container (`kind` "list", "dict", "set").

    Attributes are written only through the machine, which keeps a journal. Containers keep their items under the
    attribute "[]": a Tuple, or an Unknown once they are no longer known; dictionaries keep "[]" → Unknown when open
    and one attribute ("key", constant) per known key. `birth` is the mask of lanes that made it. `instead` are the
    things that a branch nobody can decide may have put in its place; `otherwise`, those of them that were made below
    such a branch, of other classes of the project, with the question; `made_if`, the question and the answer with which
    it was made, where with the other there is None in its place; `filled`, the lanes that ever put something into a
    container that was empty, and why only they do; `doubted`, whether something nobody knows may be in its place.
    """

    __slots__ = (
        "at",
        "attributes",
        "birth",
        "doubted",
        "facts",
        "filled",
        "instead",
        "kind",
        "made_if",
        "number",
        "otherwise",
        "path",
    )

    def __init__(
        self, kind: ClassRef | str, birth: int, number: int, at: tuple[int, int, int, int] | None = None, path: str = ""
    ) -> None:
        self.kind = kind
        self.attributes: dict[Any, Value] = Slots(number)
        self.birth = birth
        self.number = number
        self.at = at
        self.path = path
        self.facts: dict[str, Any] = {}
        self.instead: tuple[Object, ...] = ()
        self.otherwise: tuple[Otherwise, ...] = ()
        self.doubted = False
        self.made_if: tuple[Symbol, bool] | None = None
        self.filled: tuple[int, Cause | None] | None = None

    def __repr__(self) -> str:
        name = self.kind if isinstance(self.kind, str) else self.kind.name
        return f"Object({name}#{self.number})"


UNEVEN = "uneven"  # tag: the number of items differs between lanes
THERE = "there alike"  # tag: content differs between lanes, but all have it or none
MISSING = Const("<missing>", scale="missing")
MANY = "stands for many"  # fact: the one thing that stands for all items of a list
STANDS_IN = "stands in"  # fact: made for whatever a method is called on, which may be of a class derived from this one
FILLED = "<filled>"  # attribute of a list: an unknown where a branch decided whether there is anything in it


def lane_value(value: Value, lane: int) -> Value:
    return value.lanes[lane] if isinstance(value, Row) else value


def content(value: Value) -> Value:
    """A tensor object stands for what it holds."""
    if isinstance(value, Object) and value.kind == "torch.Tensor":
        return value.attributes.get("content", value)
    return value
