"""What does a fault-tolerance manager (torchft) do? Each is a communicator of its own."""

from __future__ import annotations

from typing import Any

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node
from dtlint.ir.heeded import COLLECTS, only_told, shown_by
from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.meeting import collectives, lost_handles, works
from dtlint.machine.logs import Group
from dtlint.machine.values import Object, Unknown, Value

KIND = "torchft.Manager"
NAME = "manager"
MADE = "managers made"  # fact of the run: there are some


def made(machine: Machine, call: Invocation) -> Value:
    """The ranks that make it are its members."""
    manager = machine.new(KIND, call.mask)
    machine.groups += 1
    machine.facts[MADE] = True
    members = tuple(call.mask if call.mask >> lane & 1 else 0 for lane in range(machine.world.size))
    manager.facts.update(call=call, api=call.name, group=Group(NAME, members, machine.groups))
    note(machine, "manager-made", call, manager)
    return manager


def note(machine: Machine, what: str, call: Invocation, manager: Value | None) -> None:
    """Which manager, and does which one it is differ by rank?"""
    spelled = machine.receiver
    cause = spelled.cause if spelled is not None and what != "manager-made" else None
    machine.emit_event("record", what, call.name, call.mask, subject=manager, extra={"call": call, "which": cause})


def reduced(machine: Machine, call: Invocation) -> Value:
    note(machine, "managed", call, call.receiver)
    return collectives.perform_collective(machine, call)


def asked(machine: Machine, call: Invocation) -> Value:
    """`should_commit()` waits for everything the manager has started; its answer has to be used."""
    note(machine, "asked", call, call.receiver)
    works.wait_for_all(machine)
    result = collectives.perform_collective(machine, call)
    machine.facts["answered"] = (call, result)
    return result


def discarded(machine: Machine, node: ir.Expr, value: Value, mask: int) -> None:
    """An expression statement: was it the answer of a commit?"""
    call = answer_of(machine, node, value)
    if call is not None:
        note(machine, "answer-dropped", call, call.receiver)


def assigned(machine: Machine, target: ir.Expr, node: ir.Expr) -> None:
    """`name = manager.should_commit()` where nobody reads the name."""
    call = answer_of(machine, node)
    function = machine.frame.function
    if call is None or not isinstance(target, ir.Name) or function is None:
        return
    if not isinstance(function.node, ir.Function):
        return
    if not lost_handles.read_in(function.node.body, target.id):
        note(machine, "answer-dropped", call, call.receiver)
        return
    shown = shown_by(machine.project.tree(machine.frame.path), machine.knowledge.shows)
    if listened_to(function.node.body, target.id, shown):
        machine.facts.pop("answered", None)
    elif not kept_or_returned(function.node.body, target.id):
        note(machine, "answer-told", call, call.receiver)


def listened_to(part: Any, name: str, shown: set[str]) -> bool:
    """Is the name read for anything but to hand it on and to tell people?"""
    if isinstance(part, tuple | list):
        return any(listened_to(item, name, shown) for item in part)
    if isinstance(part, ir.Return) or (isinstance(part, ir.If | ir.ExprStmt) and only_told(part, shown)):
        return False
    return lost_handles.read_in(part, name) and (
        not isinstance(part, ir.Stmt) or any(listened_to(getattr(part, slot), name, shown) for slot in part.below)
    )


def kept_or_returned(body: Any, name: str) -> bool:
    """Is it counted, collected or handed on, so that somebody may look at it later?"""
    reading = (node for node in every_node(body) if isinstance(node, ir.Stmt) and lost_handles.read_in(node, name))
    return any(isinstance(node, ir.Return | ir.AugAssign) or collects(node) for node in reading)


def collects(statement: ir.Stmt) -> bool:
    value = statement.value if isinstance(statement, ir.ExprStmt) else None
    func = value.func if isinstance(value, ir.Call) else None
    return isinstance(func, ir.Attr) and func.name in COLLECTS


def answer_of(machine: Machine, node: ir.Expr, value: Value | None = None) -> Invocation | None:
    """The commit whose answer this call gives: its own, or that of a function that hands it on."""
    if "answered" not in machine.facts or not isinstance(node, ir.Call):
        return None
    call, result = machine.facts["answered"]
    handed_on = isinstance(value, Unknown) and isinstance(result, Unknown) and value.symbol is result.symbol
    found: Invocation | None = call if call.node is node or handed_on else None
    return found


def is_manager(value: Value | None) -> bool:
    return isinstance(value, Object) and value.kind == KIND


MODELS = {"manager_made": made, "manager_reduced": reduced, "manager_asked": asked}
