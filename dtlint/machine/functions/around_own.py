"""Does a library's base class do something around a method that a class of the project has under its name?

`extra.around_own`: what the class has to have called for that. `Metric.compute` of torchmetrics adds up, over the
ranks, what a class has kept with `add_state`, before the `compute` of the class itself sees it.

`extra.in_own_way`: the class does under this name what the library's would do, too. An optimizer of the project steps
when its `step` has been run.
"""

from __future__ import annotations

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node
from dtlint.knowledge.rows import Api
from dtlint.machine.core import Machine
from dtlint.machine.names import classes
from dtlint.machine.values import ClassRef, FunctionRef, Object, Value


def row_beside(machine: Machine, function: FunctionRef, receiver: Value | None) -> Api | None:
    """The row of what a method of the project has done by now. One that hands it on to another thing of the kind does
    nothing of itself."""
    if not isinstance(receiver, Object) or not isinstance(receiver.kind, ClassRef):
        return None
    name = function.name.rpartition(".")[2]
    if name not in method_names(machine, "in_own_way"):
        return None
    row = classes.method_row(machine, receiver, name)
    return row if row is not None and "in_own_way" in row.extra and not hands_on(function.node, name) else None


def hands_on(node: ir.Function | ir.Lambda, name: str) -> bool:
    """`return self.inner.step(closure)`"""
    called = (one.func for one in every_node((node,)) if isinstance(one, ir.Call))
    return any(isinstance(one, ir.Attr) and one.name == name for one in called)


def row_around(machine: Machine, function: FunctionRef, receiver: Value | None) -> Api | None:
    if not isinstance(receiver, Object) or not isinstance(receiver.kind, ClassRef):
        return None
    name = function.name.rpartition(".")[2]
    if name not in method_names(machine, "around_own"):
        return None
    row = classes.method_row(machine, receiver, name)
    called = row.extra.get("around_own") if row is not None else None
    return row if called is not None and calls(machine, receiver.kind, str(called)) else None


def method_names(machine: Machine, word: str) -> frozenset[str]:
    known: frozenset[str] | None = machine.notes.get(word)
    if known is None:
        rows = machine.knowledge.apis.items()
        known = frozenset(name.rpartition(".")[2] for name, row in rows if word in row.extra)
        machine.notes[word] = known
    return known


def calls(machine: Machine, kind: ClassRef, name: str) -> bool:
    """Does any method of the class, or of those it derives from in the project, mention it?"""
    return any(
        isinstance(method, ir.Function) and name in method.tokens
        for owner in classes.linearise(machine, kind)
        if isinstance(owner, ClassRef)
        for method in owner.node.body
    )
