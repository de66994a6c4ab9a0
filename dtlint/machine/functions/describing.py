"""Does a helper of a decorator only write down what is decorated, and give it back?

`function.__doc__ = made_of(signature(function)); return function`: it may be long, and runs for every method of every
model of a library. What it comes to can be read off its text.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node
from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Keywords
from dtlint.machine.values import Value

MAKES = (ir.Function, ir.Class, ir.Lambda, ir.Yield, ir.Global, ir.Nonlocal, ir.Delete)


def handed_back(machine: Machine, node: ir.Function, arguments: tuple[Value, ...], keywords: Keywords) -> Value | None:
    """The argument that such a helper, called by a decorator, gives back."""
    if machine.decorating is None or len(machine.stack) <= machine.decorating:
        return None
    known: dict[int, str | None] = machine.notes.setdefault("described", {})
    if id(node) not in known:
        known[id(node)] = described(node)
    name = known[id(node)]
    if name is None:
        return None
    place = [param.name for param in node.params].index(name)
    if place < len(arguments):
        return arguments[place]
    return next((value for given, value in keywords if given == name), None)


def described(node: ir.Function) -> str | None:
    """The parameter that it describes and gives back, whatever happens in it."""
    every = list(every_node(node.body))
    given = {one.value.id if isinstance(one.value, ir.Name) else "" for one in every if isinstance(one, ir.Return)}
    name = given.pop() if len(given) == 1 else ""
    if name not in {param.name for param in node.params if param.kind in ("positional", "normal")}:
        return None
    if not isinstance(node.body[-1], ir.Return) or any(isinstance(one, MAKES) for one in every):
        return None
    own = set(node.assigned)
    kept = name not in set(rebound(every)) and all(is_own(target, name, own) for target in targets(every))
    return name if kept and not any(tells_of(one, name) for one in every) else None


def targets(every: list[ir.Node]) -> Iterator[ir.Expr]:
    for one in every:
        if isinstance(one, ir.Assign):
            yield from one.targets
        elif isinstance(one, ir.AugAssign | ir.AnnAssign | ir.For):
            yield one.target
        elif isinstance(one, ir.With):
            yield from (target for _, target in one.items if target is not None)


def rebound(every: list[ir.Node]) -> Iterator[str]:
    for target in targets(every):
        yield from (part.id for part in every_node(target) if isinstance(part, ir.Name) and not is_base(part, target))
    yield from (one.target.id for one in every if isinstance(one, ir.Walrus) and isinstance(one.target, ir.Name))


def is_base(part: ir.Name, target: ir.Expr) -> bool:
    """`function` in `function.__doc__ = …` is not bound anew."""
    return isinstance(target, ir.Attr) and target.value is part


def is_own(target: ir.Expr, name: str, own: set[str]) -> bool:
    """A variable of its own, or what Python itself keeps of the thing that is described."""
    if isinstance(target, ir.Tup | ir.ListExpr):
        return all(is_own(item, name, own) for item in target.items)
    if isinstance(target, ir.Attr):
        return isinstance(target.value, ir.Name) and target.value.id == name and target.name.startswith("__")
    return isinstance(target, ir.Name) and target.id in own


def tells_of(statement: ir.Node, name: str) -> bool:
    """`REGISTRY.add(function)`: a call for its own sake that hears of it."""
    called = statement.value if isinstance(statement, ir.ExprStmt) else None
    if not isinstance(called, ir.Call):
        return False
    handed = (*called.args, *(value for _, value in called.keywords), called.func)
    return any(isinstance(one, ir.Name) and one.id == name for one in (*handed, getattr(called.func, "value", None)))
