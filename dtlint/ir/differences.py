"""Is what two calls of one function give subtracted: `up = score(one, key)`, `down = score(other, key)`, `up - down`?

What they have drawn alike falls out of the difference: the same numbers on both sides are the point.
"""

from __future__ import annotations

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node
from dtlint.ir.ways import Place, function_in, statement_in, way_to


def subtracted(tree: ir.Node, first: Place, second: Place) -> bool:
    one, other = (assigned_call(tree, place) for place in (first, second))
    if one is None or other is None or one[1] != other[1] or one[0] == other[0]:
        return False
    names = {one[0], other[0]}
    around = function_in(way_to(tree, *second)) or tree
    return any(
        isinstance(node, ir.BinOp) and node.op == "-" and {named(node.left), named(node.right)} == names
        for node in every_node(around)
    )


def assigned_call(tree: ir.Node, place: Place) -> tuple[str, str] | None:
    """The name that a call at this place is given to, and what is called."""
    statement = statement_in(way_to(tree, *place))
    if not isinstance(statement, ir.Assign) or not isinstance(statement.value, ir.Call) or len(statement.targets) != 1:
        return None
    name = named(statement.targets[0])
    return (name, repr(statement.value.func)) if name else None


def named(node: ir.Node) -> str:
    return node.id if isinstance(node, ir.Name) else ""
