"""What can go wrong on one rank and not on another, and what does every rank come to before it?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from dtlint.ir import nodes as ir
from dtlint.machine.logs import Attempt, Call, Choice, Event, Log, LogNode, Loop, inner_logs
from dtlint.machine.spoken import COMMUNICATES
from dtlint.machine.values import BY_RANK, Cause, Object, Value
from dtlint.machine.walks import walk

# exceptions every rank raises together: the program or its environment is the same everywhere
SHARED = frozenset(
    {
        "ImportError",
        "ModuleNotFoundError",
        "AttributeError",
        "NameError",
        "NotImplementedError",
        "StopIteration",
        "StopAsyncIteration",
        "KeyboardInterrupt",
        "TypeError",
        "LookupError",
        "KeyError",
        "IndexError",
        "SyntaxError",
        "ImportWarning",
        "ArgumentError",
        "GeneratorExit",
        "FileNotFoundError",
        "FileExistsError",
    }
)


OF_FILES = frozenset({"FileNotFoundError", "FileExistsError"})  # shared, as the files are: but for a rank's own


# what is computed cannot go on with these values: every rank raises it where the values are the same
OF_VALUES = SHARED | frozenset(
    {
        "ValueError",
        "AssertionError",
        "ArithmeticError",
        "ZeroDivisionError",
        "OverflowError",
        "FloatingPointError",
        "UnicodeError",
        "UnicodeDecodeError",
    }
)
# of Python's own, and who catches them: what the program raises itself, it raises under a question of its own
BY_HAND = {
    "FloatingPointError": ("FloatingPointError", "ArithmeticError"),
    "KeyError": ("KeyError", "LookupError"),
    "IndexError": ("IndexError", "LookupError"),
    "LookupError": ("LookupError",),
    "TypeError": ("TypeError",),
}
ONLY_RAISED = frozenset({"FloatingPointError", "ArithmeticError"})  # Python itself never does
LONELY = ("Memory", "OSError", "IOError", "Timeout", "Connection", "Runtime", "Permission", "Interrupt", "Signal")
READS = frozenset({"load", "file-read", "file-ask", "listing", "download", "unpack"})
WAITING = ("Timeout", "Connection", "Interrupt", "Signal")
QUEUES = frozenset({"queue.Empty", "queue.Full"})
STARTS = frozenset({"init", "backend", "device", "env"})
MAKES = ("new_group", "init")
COMPUTES = ("forward", "backward", "step")  # one rank alone may run out of memory in them


@dataclass(frozen=True)
class Tried:
    """What a body did, for the handlers that follow it."""

    alone: str  # the kind of difference between a rank that fails in it and the others
    of_data: bool  # it worked on this rank's data
    ended: Cause | None  # why an iterator it asked has less to give on some ranks
    raised: int  # how many exceptions of the program's own were known before it


def strikes_alone(types: tuple[str, ...], words: tuple[str, ...] = LONELY) -> bool:
    """Exceptions of the machine a rank runs on, rather than of the program that all ranks run."""
    return any(word in name for name in types for word in words)


Begins = Callable[[Call], bool]
Tells = Callable[[ir.Expr], bool]  # is this a call that tells a rank's number, or how many there are?


def met_first(path: str, body: tuple[ir.Stmt, ...], log: Log, begins: Begins, tells: Tells) -> int:
    """How many nodes of a body's log every rank comes to, because nothing before them goes wrong on one rank alone:
    collective calls with no more than questions around them, functions that begin with one, and calls that make
    groups."""
    met = 0
    body = tuple(statement for statement in body if not looks_up(statement) and not gets_ready(statement, tells))
    for number, statement in enumerate(body):
        inside = within(path, statement, log.nodes[met:])
        if not only_meets(statement, inside, begins, tells):
            # where nothing follows that can fail, the handler is for the calls themselves
            return met if any(not isinstance(rest, ir.Return | ir.Pass) for rest in body[number:]) else 0
        met += len(inside)
    return met if len(body) == 1 else 0


def looks_up(statement: ir.Stmt) -> bool:
    """`rate = optimizer.param_groups[0]["lr"]`: what is there on one rank is there on all."""
    value = statement.value if isinstance(statement, ir.Assign) else None
    while isinstance(value, ir.Attr | ir.Index):
        if isinstance(value, ir.Index) and not isinstance(value.index, ir.Const):
            return False
        value = value.value
    return isinstance(value, ir.Name) and isinstance(statement, ir.Assign) and statement.value is not value


def within(path: str, statement: ir.Stmt, nodes: list[LogNode]) -> list[LogNode]:
    """What a statement of this file has left in the log."""
    first, last = statement, statement
    while isinstance(last, ir.If):
        last = (last.orelse or last.body)[-1]
    if first.at is None or last.at is None:
        return []
    lines = range(first.at[0], last.at[2] + 1)
    return [node for node in nodes if not isinstance(node, Loop) and stands(node, path, lines)]


def stands(node: Event | Call | Choice | Attempt, path: str, lines: range) -> bool:
    placed = node.decision if isinstance(node, Choice) else node
    return placed.path == path and placed.at[0] in lines


def gets_ready(statement: ir.Stmt, tells: Tells) -> bool:
    """`parts = [None] * get_world_size()`: a place for what the others will send, as many as there are."""
    return (
        isinstance(statement, ir.Assign)
        and all(isinstance(one, ir.Name) for one in statement.targets)
        and (is_plain(statement.value, tells))
    )


def is_plain(value: ir.Expr, tells: Tells) -> bool:
    match value:
        case ir.Name() | ir.Const():
            return True
        case ir.ListExpr():
            return all(is_plain(item, tells) for item in value.items)
        case ir.BinOp(op="*"):  # a list, as often as a number says
            return isinstance(value.left, ir.ListExpr) and is_plain(value.left, tells) and is_plain(value.right, tells)
        case ir.Call():
            return not value.args and not value.keywords and tells(value.func)
    return False


def only_meets(statement: ir.Stmt, nodes: list[LogNode], begins: Begins, tells: Tells) -> bool:
    """A statement that is one collective call and nothing else, or that makes groups, which takes numbers all ranks
    share: what is wrong with it is wrong on every rank. Below a question, what comes behind the call comes too late to
    keep a rank from it."""
    if isinstance(statement, ir.If):
        first = next((one for one in statement.body if not gets_ready(one, tells)), None)
        if statement.orelse or first is None or not asks(statement.test):
            return False
        return only_meets(first, nodes, begins, tells) and one_call(nodes, begins)
    if not isinstance(statement, ir.ExprStmt | ir.Assign | ir.Return):
        return False
    calls = [inner.op for node in nodes for inner in events_of(node) if is_talk(inner)]
    return one_call(nodes, begins) or (bool(calls) and all(op in MAKES for op in calls))


def events_of(node: LogNode) -> Iterator[Event]:
    if isinstance(node, Event):
        yield node
    else:
        yield from (inner for log in inner_logs(node) for inner, _ in walk(log) if isinstance(inner, Event))


def one_call(nodes: list[LogNode], begins: Begins) -> bool:
    """Is there one collective call, and is it not hidden behind what a function does before, or in what a rank
    computes?"""
    told = [node for node in nodes if not isinstance(node, Event) or node.kind != "record"]
    if len(told) == 1 and isinstance(told[0], Choice):
        return one_call([*told[0].then.nodes, *told[0].other.nodes], begins)
    if len(told) == 1 and isinstance(told[0], Call) and begins(told[0]):
        return one_call(told[0].log.nodes, begins)
    return len(told) == 1 and isinstance(told[0], Event) and is_talk(told[0]) and told[0].op not in COMPUTES


def begins_with(body: tuple[ir.Stmt, ...], call: Call) -> bool:
    """Is the first thing that a function does what its log begins with?"""
    documented = bool(body) and isinstance(body[0], ir.ExprStmt) and isinstance(body[0].value, ir.Const)
    first = next(iter(body[documented:]), None)
    simple = isinstance(first, ir.ExprStmt | ir.Assign | ir.Return)
    return simple and within(call.callee_path, first, call.log.nodes[:1]) != []  # type: ignore[arg-type]


def asks(test: ir.Expr) -> bool:
    """A question that cannot fail: names, and calls that take nothing."""
    match test:
        case ir.BoolOp():
            return all(asks(value) for value in test.values)
        case ir.Compare():
            return asks(test.left) and all(asks(value) for _, value in test.pairs)
        case ir.Unary():
            return asks(test.value)
        case ir.Call():
            return not test.args and not test.keywords and asks(test.func)
        case ir.Attr():
            return asks(test.value)
    return isinstance(test, ir.Name | ir.Const)


def only(types: tuple[str, ...], names: frozenset[str]) -> bool:
    """Is nothing caught but these? A handler without types catches everything."""
    return bool(types) and all(name.rpartition(".")[2] in names for name in types)


def by_hand(name: str) -> str | None:
    """An exception of Python's that somebody raises who writes `raise`."""
    last = name.rpartition(".")[2]
    return last if last in BY_HAND else None


def reads_files(body: Log) -> bool:
    return any(isinstance(node, Event) and node.kind == "record" and node.op in READS for node, _ in walk(body))


def own_reads(body: Log, kinds: frozenset[str] = BY_RANK) -> Iterator[LogNode]:
    """The parts of a body in which each rank reads another file: it may be there, or whole, for some of them only."""
    for node, path in walk(body):
        if isinstance(node, Event) and node.kind == "record" and node.op in READS:
            call = node.extra.get("call")
            place = node.extra.get("target") or next(iter(getattr(call, "arguments", ())), None)
            place = place or getattr(call, "receiver", None)
            if isinstance(place, Object):
                place = place.facts.get("text")
            if isinstance(place, Value) and place.cause is not None and place.cause.kind in kinds:
                yield path[0] if path else node


WRITES = frozenset({"file-write", "file-delete", "file-rename", "download", "unpack", "mkdir"})


def only_reads(body: Log) -> bool:
    """A body that finds in files what all ranks find there, and leaves nothing behind."""
    return not any(isinstance(node, Event) and node.op in WRITES for node, _ in walk(body))


def starts_first(body: Log) -> bool:
    """A body that makes the process group before anything else is said: whoever was not launched as one of several goes
    on alone, and so do the others."""
    talk = next((node for node, _ in walk(body) if is_talk(node)), None)
    return isinstance(talk, Event) and talk.op == "init"


def can_fail_alone(body: Log, depth: int = 6) -> bool:
    """Is there anything in a body that goes wrong on one rank and not on another: data, files, steps, collectives?"""
    for node in body.nodes:
        if isinstance(node, Event):
            if node.kind != "record" or node.op not in STARTS:
                return True
        elif depth and any(can_fail_alone(inner, depth - 1) for inner in inner_logs(node)):
            return True
    return False


def goes_wrong_in_talk(body: Log) -> bool:
    """Does a body communicate in ways that may fail on one rank? That a model is wrapped on the way to its checkpoint
    is not what the handler is for: there is no checkpoint yet, on any rank."""
    ops = {node.op for node, _ in walk(body) if is_talk(node) and isinstance(node, Event)}
    return bool(ops - {"wrap"} if reads_files(body) else ops)


def is_talk(node: object) -> bool:
    return isinstance(node, Event) and node.kind in COMMUNICATES


def only_raises(body: tuple[ir.Stmt, ...]) -> bool:
    """A body that does nothing but test and raise: what it raises, every rank raises."""
    for statement in body:
        if isinstance(statement, ir.If):
            if not (only_raises(statement.body) and only_raises(statement.orelse)):
                return False
        elif not isinstance(statement, ir.Raise | ir.Pass):
            return False
    return True
