"""Does a library's base class do something around a method that a class of the project has under its name?

`extra.around_own`: what the class has to have called for that. `Metric.compute` of torchmetrics adds up, over the
ranks, what a class has kept with `add_state`, before the `compute` of the class itself sees it.
"""

from __future__ import annotations

from dtlint.ir import nodes as ir
from dtlint.knowledge.rows import Api
from dtlint.machine.core import Machine
from dtlint.machine.names import classes
from dtlint.machine.values import ClassRef, FunctionRef, Object, Value


def row_around(machine: Machine, function: FunctionRef, receiver: Value | None) -> Api | None:
    if not isinstance(receiver, Object) or not isinstance(receiver.kind, ClassRef):
        return None
    name = function.name.rpartition(".")[2]
    if name not in method_names(machine):
        return None
    row = classes.method_row(machine, receiver, name)
    called = row.extra.get("around_own") if row is not None else None
    return row if called is not None and calls(machine, receiver.kind, str(called)) else None


def method_names(machine: Machine) -> frozenset[str]:
    known: frozenset[str] | None = machine.notes.get("around own")
    if known is None:
        rows = machine.knowledge.apis.items()
        known = frozenset(name.rpartition(".")[2] for name, row in rows if "around_own" in row.extra)
        machine.notes["around own"] = known
    return known


def calls(machine: Machine, kind: ClassRef, name: str) -> bool:
    """Does any method of the class, or of those it derives from in the project, mention it?"""
    return any(
        isinstance(method, ir.Function) and name in method.tokens
        for owner in classes.linearise(machine, kind)
        if isinstance(owner, ClassRef)
        for method in owner.node.body
    )
