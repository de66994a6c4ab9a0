"""Which gradients are made equal in a copy that nobody reads afterwards?"""

from __future__ import annotations

from typing import Any

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node
from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.meeting import unseen
from dtlint.machine.library.training import own_gradients
from dtlint.machine.values import Value

UNREAD = "agreed-unread"


def performed(machine: Machine, call: Invocation, held: Value | None) -> None:
    """`copy = p.grad.clone(); dist.all_reduce(copy); copy /= world`: the gradients stay those of this rank."""
    given = call.expression(call.row.same[0]) if call.row.same else None
    function = machine.frame.node
    if call.row.op != "all_reduce" or not isinstance(given, ir.Name) or not isinstance(function, ir.Function):
        return
    if own_gradients.made_of_gradients(machine, held) and is_new(machine, function, given.id):
        if not is_read(function, given.id, call.node):
            machine.emit_event("record", UNREAD, call.name, call.mask, extra={"call": call})


def beside_works(function: ir.Function, name: str) -> tuple[set[int], set[int]]:
    """`works.append((copy, dist.all_reduce(copy, async_op=True)))`, and `for copy, work in works:` below: the nodes in
    which the copy is put there, and the targets by which it is had again. None where anybody else asks for the list."""
    put: dict[str, list[tuple[ir.Name, int]]] = {}
    for node in every_node(function.body):
        if isinstance(node, ir.Call) and isinstance(node.func, ir.Attr) and node.func.name == "append":
            held, listed = node.args[0] if len(node.args) == 1 else None, node.func.value
            for place, one in enumerate(held.items if isinstance(held, ir.Tup) else ()):
                if isinstance(one, ir.Name) and one.id == name and isinstance(listed, ir.Name):
                    put.setdefault(listed.id, []).append((one, place))
    inner, targets = set[int](), set[int]()
    for listed, found in put.items():
        loops = [
            node
            for node in every_node(function.body)
            if isinstance(node, ir.For) and isinstance(node.iterable, ir.Name) and node.iterable.id == listed
        ]
        uses = sum(isinstance(node, ir.Name) and node.id == listed for node in every_node(function.body))
        had = [loop.target.items[place] for loop in loops if isinstance(loop.target, ir.Tup) for _, place in found]
        # made once, filled, and walked over
        if uses == 1 + len(found) + len(loops) and all(isinstance(one, ir.Name) and one.id == name for one in had):
            inner.update(id(one) for one, _ in found)
            targets.update(map(id, had))
    return inner, targets


def is_new(machine: Machine, function: ir.Function, name: str) -> bool:
    """Is everything that goes by this name here made on the spot, one by one or in a list?"""
    _, again = beside_works(function, name)
    made = [
        bound
        for node in every_node(function.body)
        if again.isdisjoint(map(id, every_node(getattr(node, "target", None))))
        for bound in bound_to(node, name)
    ]
    known = [in_list(function, bound) for bound in made]
    named = any(param.name == name for param in function.params) or name in function.globals
    return bool(made) and not named and all(one is not None and unseen.is_new(machine, one) for one in known)


def bound_to(node: Any, name: str) -> list[ir.Expr | None]:
    """What this statement gives the name; None: something that the text does not show."""
    if isinstance(node, ir.Assign):
        targets, value = node.targets, node.value
    elif isinstance(node, ir.AnnAssign | ir.Walrus):
        targets, value = (node.target,), node.value
    elif isinstance(node, ir.For | ir.Clause):
        targets, value = (node.target,), node
    elif isinstance(node, ir.With):
        targets, value = tuple(target for _, target in node.items), None
    else:
        return []
    found: list[ir.Expr | None] = [value for one in targets if isinstance(one, ir.Name) and one.id == name]
    hidden = any(isinstance(one, ir.Name) and one.id == name for one in every_node(targets))
    return found or ([None] if hidden else [])


def in_list(function: ir.Function, bound: Any) -> ir.Expr | None:
    """`for copy in copies`, where `copies = [p.grad.clone() for p in …]` and nobody else asks for the list."""
    if not isinstance(bound, ir.For):
        return bound if isinstance(bound, ir.Expr) else None
    listed = bound.iterable
    if not isinstance(listed, ir.Name) or any(param.name == listed.id for param in function.params):
        return None
    made = [one for node in every_node(function.body) for one in bound_to(node, listed.id)]
    uses = sum(isinstance(node, ir.Name) and node.id == listed.id for node in every_node(function.body))
    whole = made[0] if len(made) == 1 and uses == 2 else None
    return whole.element if isinstance(whole, ir.Comp) else None


def is_read(function: ir.Function, name: str, call: ir.Call | None) -> bool:
    """Does anything here ask for what goes by this name, but to reduce it and to change it in place?"""
    written = {id(one) for node in every_node(function.body) for one in changed_by(node)}
    given = {id(one) for one in every_node(call)}.union(*beside_works(function, name))
    return any(
        isinstance(node, ir.Name) and node.id == name and id(node) not in written | given
        for node in every_node(function.body)
    )


def changed_by(node: Any) -> tuple[Any, ...]:
    """The names that a statement gives something else, or changes in place and does not look into."""
    if isinstance(node, ir.Assign):
        only = node.targets[0] if len(node.targets) == 1 else None
        name = only.id if isinstance(only, ir.Name) else None
        own = [one for one in every_node(node.value) if isinstance(one, ir.Name) and one.id == name]
        return (*node.targets, *own)  # `copy = copy / world`
    if isinstance(node, ir.AnnAssign | ir.For | ir.Clause | ir.AugAssign):
        return (node.target,)
    if isinstance(node, ir.Delete):
        return tuple(node.targets)
    func = node.value.func if isinstance(node, ir.ExprStmt) and isinstance(node.value, ir.Call) else None
    return (func.value,) if isinstance(func, ir.Attr) and func.name.endswith("_") else ()
