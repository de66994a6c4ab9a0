"""Is a function used where its answer is meant, or a rank where the answer to a question is meant?"""

from __future__ import annotations

from typing import Any

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node
from dtlint.ir.text import render
from dtlint.knowledge.rows import Api
from dtlint.machine.core import Machine
from dtlint.machine.functions.following import QUESTION
from dtlint.machine.library.python import options, passed_on
from dtlint.machine.logs import Event, Log
from dtlint.machine.values import (
    BY_RANK,
    NONE,
    Bound,
    Const,
    External,
    FunctionRef,
    Object,
    Row,
    Symbol,
    Unknown,
    Value,
)

MAIN = ("is_main", "is_local_main")
QUESTIONS = ("rank", "local_rank", "node", "group_rank", "world_size", "distributed", "is_last", *MAIN)


def name_of(value: Value) -> str:
    if isinstance(value, Bound):
        return name_of(value.function)
    if isinstance(value, External):
        return value.name
    return value.name if isinstance(value, FunctionRef) else ""


def row_of(machine: Machine, value: Value) -> Api | None:
    """What the packs say about an uncalled function."""
    if isinstance(value, Bound) and isinstance(value.receiver, Const):
        return None  # an attribute of None or of a number: something else is meant, which is not known
    name = name_of(value)
    last = name.rpartition(".")[2]
    if isinstance(value, External) or (isinstance(value, Bound) and isinstance(value.function, External)):
        row = machine.knowledge.api(name)
        if row is None and isinstance(value, Bound) and isinstance(value.receiver, Object):
            from dtlint.machine.names import classes

            row = classes.method_row(machine, value.receiver, last)
        return row
    return machine.knowledge.functions.get(last)


def asks(machine: Machine, value: Value) -> bool:
    if isinstance(value, Bound) and (value.extra or value.keywords):
        return False
    row = row_of(machine, value)
    if row is not None:
        return row.does == "value" and row.value in QUESTIONS
    return answers_by_rank(machine, value)


def answers_by_rank(machine: Machine, value: Value) -> bool:
    """A function of the project that needs no argument and would have said another thing on another rank."""
    function = value.function if isinstance(value, Bound) else value
    receiver = value.receiver if isinstance(value, Bound) else None
    node = function.node if isinstance(function, FunctionRef) else None
    if not isinstance(node, ir.Function) or node.is_generator or len(node.body) > QUESTION:
        return False
    needed = [param for param in node.params if param.default is None and param.kind not in ("vararg", "kwarg")]
    if len(needed) > (receiver is not None) or node.tokens.isdisjoint(machine.meaningful):
        return False
    known = machine.notes.setdefault("answers by rank", {})
    if id(node) not in known:
        known[id(node)] = would_say(machine, value)
    said = known[id(node)]
    cause = said.cause if isinstance(said, Row) else None
    return cause is not None and cause.kind in BY_RANK and all(isinstance(one, Const) for one in said.lanes)


def would_say(machine: Machine, value: Value) -> Value:
    """What calling it gives, with nothing of it left in the log or in any object."""
    from dtlint.machine.functions import calls

    saved, facts, mark = machine.sinks, machine.facts, len(machine.journal)
    machine.sinks, machine.facts = [(Log(), machine.world.full)], dict(facts)
    try:
        return calls.call_value(machine, value, (), (), machine.frame.mask)
    finally:
        machine.sinks, machine.facts = saved, facts
        machine.rollback(mark)


def compared(machine: Machine, left: Value, right: Value) -> tuple[Value, Value]:
    """`jax.process_index == 0`: a function is never equal to a number. The answers it was meant to give are compared,
    so that what follows from the slip is not told once more."""
    if is_number(right):
        return meant(machine, left, "compared"), right
    return (left, meant(machine, right, "compared")) if is_number(left) else (left, right)


def is_number(value: Value) -> bool:
    return isinstance(value, Const) and isinstance(value.value, int)


def meant(machine: Machine, value: Value, op: str) -> Value:
    """What a function would say that stands where its answer is meant: `f"part_{jax.process_index}.npz"`."""
    if not isinstance(value, External | FunctionRef | Bound) or not asks(machine, value):
        return value
    written(machine, op, name_of(value).rpartition(".")[2])
    return would_say(machine, value)


def called_beside(machine: Machine, node: ir.Attr, other: Value) -> None:
    """`group.rank == 0`, where the function calls `group.rank()` as well: it is a method, whoever the group is of."""
    row = machine.knowledge.members.get(node.name)
    if row is None or row.value not in QUESTIONS or not isinstance(other, Const) or type(other.value) is not int:
        return
    known = machine.notes.setdefault("called beside", {})
    if id(node) not in known:
        calls = (one for one in every_node(getattr(machine.frame.node, "body", ())) if isinstance(one, ir.Call))
        bare = (one.func for one in calls if isinstance(one.func, ir.Attr) and not one.args and not one.keywords)
        known[id(node)] = any(one.name == node.name and render(one) == render(node) for one in bare)
    if known[id(node)]:
        written(machine, "compared", node.name)


def answered(machine: Machine, node: Any, left: Row, right: Value) -> None:
    """`is_main_process == 0`: an answer, not a rank; it is equal to 0 everywhere but on the main rank."""
    if not (isinstance(right, Const) and type(right.value) is int and right.value == 0 and right.scale is None):
        return
    main, *others = (held.value if isinstance(held, Const) else None for held in left.lanes)
    if main is True and all(held is False for held in others) and left.cause.kind == "rank":
        written(machine, "answered", render(node))


def asked(machine: Machine, value: Value) -> Value:
    """`if is_main_process:` where that is a function: always true. The answer it was meant to give is returned, so
    that what follows from the slip is not told once more."""
    if not asks(machine, value):
        return value
    name = name_of(value).rpartition(".")[2]
    written(machine, "asked", name, passed_on.only_place(machine, name))
    return would_say(machine, value)


def chosen(machine: Machine, op: str, left: Value, right: Value, text: str) -> Value | None:
    """`index or jax.process_index()`, `rank or -1`: index 0 counts as not given. Where the index is there, it was meant
    to be taken, so that what follows from the slip is not told once more."""
    if op != "or":
        return None
    if isinstance(left, Row):
        given = is_rank(left) and isinstance(right, Const) and bool(right.value)
        if isinstance(right, Row) and is_rank(right):
            given = given or any(map(lost_to, left.lanes, right.lanes))
    else:
        named = isinstance(left, Unknown) and left.like is None and numbered(machine, text)
        asked = options.is_whole(machine, left) and right.cause is not None and right.cause.kind == "rank"
        given = is_rank(right) and (left == Const(0) or named or asked)
        given = given or (named and is_last_rank(machine, right))
    if given:
        written(machine, "chosen", text)
    return left if given and isinstance(left, Row) else None


def is_last_rank(machine: Machine, value: Value) -> bool:
    """`world_size - 1`: some rank as well, and not the first."""
    return isinstance(value, Const) and value.scale == "world" and 0 < value.value < machine.world.size


def lost_to(number: Value, instead: Value) -> bool:
    """Is the number of this lane a 0, for which another one stands in?"""
    zero = isinstance(number, Const) and type(number.value) is int and number.value == 0
    return (zero or is_share_of_number(number)) and isinstance(instead, Const) and bool(instead.value)


def is_share_of_number(number: Value) -> bool:
    """`rank // width`, `rank % width`: whatever the width is, it is 0 on more ranks than the first."""
    if not isinstance(number, Unknown) or number.symbol.key[0] not in ("op //", "op %"):
        return False
    return type(number.symbol.key[1]) is int and isinstance(number.symbol.key[2], Symbol)


def is_rank(value: Value) -> bool:
    if not isinstance(value, Row) or value.cause is None or value.cause.kind not in ("rank", "local rank"):
        return False
    return all(isinstance(lane, Const) and lane.scale == "rank" for lane in value.lanes)


def placed(machine: Machine, asked: Row, found: Row, text: str) -> None:
    """`f"cuda:{local_rank}" if local_rank else "cpu"`: index 0 counts as no GPU."""
    if not is_rank(asked):
        return
    for question, device in zip(asked.lanes, found.lanes, strict=True):
        kind = kind_of(device)
        if kind is None or (kind == "cpu") is bool(isinstance(question, Const) and question.value):
            return
    written(machine, "placed", text)


WITHHELD = "what the first rank gets None for"  # fact of the run: places, and the rank that was asked there


def withheld(machine: Machine, node: ir.IfExp, asked: Row, found: Row, text: str) -> None:
    """`path if rank else None`: who asks for the path later may have meant the main rank."""
    if is_rank(asked) and found.lanes[0] == NONE and NONE not in found.lanes[1:]:
        at = node.at or machine.current_at
        machine.facts.setdefault(WITHHELD, {})[machine.frame.path, at[0]] = (at, text)


def kind_of(device: Value) -> str | None:
    """`cuda` of `"cuda:1"`"""
    return device.value.partition(":")[0] if isinstance(device, Const) and isinstance(device.value, str) else None


def made_boolean(machine: Machine, node: Any, value: Value) -> None:
    """`is_main = bool(rank)`: true on every rank but the main one."""
    if not isinstance(value, Row) or not all(isinstance(one, Const) and one.scale == "rank" for one in value.lanes):
        return
    for statement in getattr(machine.frame.node, "body", ()) or ():
        if isinstance(statement, ir.Assign) and statement.value is node and isinstance(statement.targets[0], ir.Name):
            row = machine.knowledge.parameters.get(statement.targets[0].id)
            if row is not None and row.value in MAIN:
                written(machine, "boolean", str(statement.targets[0].id))


def numbered(machine: Machine, text: str) -> bool:
    """Is this the name of a rank or an index?"""
    last = text.rpartition(".")[2]
    row = machine.knowledge.parameters.get(last)
    return (row is not None and row.value in ("rank", "local_rank", "node")) or last.endswith(("index", "rank"))


def written(machine: Machine, op: str, name: str, place: passed_on.Site | None = None) -> None:
    frame = machine.frame
    path, at, scope = place or (frame.path, machine.current_at, frame.scope)
    event: dict[str, Any] = {"name": name, "asked": (frame.path, machine.current_at[0]) if place else None}
    machine.facts["uncalled"] = True
    machine.emit(Event("uncalled", op, name, frame.mask, frame.guards, path, at, scope, extra=event))
