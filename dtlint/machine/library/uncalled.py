"""Is a function used where its answer is meant, or a rank where the answer to a question is meant?"""

from __future__ import annotations

from typing import Any

from dtlint.ir import nodes as ir
from dtlint.knowledge.loader import Api
from dtlint.machine.core import Machine
from dtlint.machine.logs import Event
from dtlint.machine.values import NONE, Bound, Const, External, FunctionRef, Object, Row, Unknown, Value

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
    name = name_of(value)
    last = name.rpartition(".")[2]
    if isinstance(value, External) or (isinstance(value, Bound) and isinstance(value.function, External)):
        row = machine.knowledge.api(name)
        if row is None and isinstance(value, Bound) and isinstance(value.receiver, Object):
            from dtlint.machine import attributes

            row = attributes.method_row(machine, value.receiver, last)
        if row is not None:
            return row
    return machine.knowledge.functions.get(last)


def asks(machine: Machine, value: Value) -> bool:
    if isinstance(value, Bound) and (value.extra or value.keywords):
        return False
    row = row_of(machine, value)
    return row is not None and row.does == "value" and row.value in QUESTIONS


def compared(machine: Machine, left: Value, right: Value) -> None:
    """`jax.process_index == 0`: a function is never equal to a number."""
    for one, other in ((left, right), (right, left)):
        if isinstance(one, External | FunctionRef | Bound) and isinstance(other, Const):
            number = isinstance(other.value, int) and other != NONE
            if number and asks(machine, one):
                written(machine, "compared", name_of(one).rpartition(".")[2])
                return


def asked(machine: Machine, value: Value) -> None:
    """`if is_main_process:` where that is a function: always true."""
    if asks(machine, value):
        written(machine, "asked", name_of(value).rpartition(".")[2])


def chosen(machine: Machine, op: str, left: Value, right: Value, text: str) -> None:
    """`index or jax.process_index()`: index 0 counts as not given."""
    if (
        op != "or"
        or not isinstance(right, Row)
        or right.cause is None
        or right.cause.kind not in ("rank", "local rank")
    ):
        return
    if not all(isinstance(lane, Const) and lane.scale == "rank" for lane in right.lanes):
        return
    given = left == Const(0) or (isinstance(left, Unknown) and left.like is None and numbered(machine, text))
    if given:
        written(machine, "chosen", text)


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


def written(machine: Machine, op: str, name: str) -> None:
    frame = machine.frame
    event: dict[str, Any] = {"name": name}
    machine.facts["uncalled"] = True
    machine.emit(
        Event("uncalled", op, name, frame.mask, frame.guards, frame.path, machine.current_at, frame.scope, extra=event)
    )


__all__ = ["asked", "chosen", "compared", "made_boolean"]
