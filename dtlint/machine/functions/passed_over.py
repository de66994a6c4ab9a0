"""What does a method leave behind that is not followed, because it can reach nothing any rule asks for?

It may have written to what it belongs to, also through other methods it calls on itself. What was known of those
attributes is not known any more; all that is kept is that all ranks did the same. One that may communicate may also
have made everybody's what was each rank's own.
"""

from __future__ import annotations

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node
from dtlint.machine.core import Machine
from dtlint.machine.functions.following import holds_differing
from dtlint.machine.names import classes
from dtlint.machine.values import ClassRef, Const, FunctionRef, Object, Value


def leave_unknown(
    machine: Machine, function: FunctionRef, receiver: Value | None, mask: int, told: bool = False
) -> None:
    if not isinstance(receiver, Object) or not isinstance(receiver.kind, ClassRef) or receiver.birth & ~mask:
        return  # what only some ranks have written is told by those that are followed
    for name in written(machine, receiver.kind, function.node):
        held = receiver.attributes.get(name)
        own = told and held is not None and (held.cause is not None or holds_differing(held))
        if own or type(held) is Const:
            machine.set(receiver, name, machine.unknown("written by a method", receiver.number, name), mask)


def written(machine: Machine, kind: ClassRef, node: ir.Function | ir.Lambda) -> frozenset[str]:
    """The attributes of itself that a method of this class writes."""
    known: dict[tuple[int, int], frozenset[str]] = machine.notes.setdefault("attributes written", {})
    key = id(kind.node), id(node)
    if key not in known:
        known[key] = frozenset()  # for methods that call each other
        known[key] = frozenset(names_below(machine, kind, node)) if isinstance(node, ir.Function) else frozenset()
    return known[key]


def names_below(machine: Machine, kind: ClassRef, node: ir.Function) -> set[str]:
    first = node.params[0].name if node.params else ""
    found: set[str] = set()
    for one in every_node(node.body, (ir.Function, ir.Class)):
        if isinstance(one, ir.Assign):
            found.update(name for target in one.targets for name in own_names(target, first))
        elif isinstance(one, ir.AugAssign | ir.AnnAssign):
            found.update(own_names(one.target, first))
        elif isinstance(one, ir.Call) and of_itself(one.func, first):
            method = classes.in_class(machine, kind, one.func.name)
            if isinstance(method, FunctionRef):
                found |= written(machine, kind, method.node)
    return found


def own_names(target: ir.Expr, first: str) -> list[str]:
    if isinstance(target, ir.Tup | ir.ListExpr):
        return [name for item in target.items for name in own_names(item, first)]
    return [target.name] if of_itself(target, first) else []


def of_itself(node: ir.Expr, first: str) -> bool:
    return isinstance(node, ir.Attr) and isinstance(node.value, ir.Name) and node.value.id == first
