"""Does an option give one name what another one holds: `if self.same: flow_key = noise_key`?

Who writes that has a key of its own for each of them, and says when they are to be the same.
"""

from __future__ import annotations

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node
from dtlint.ir.ways import function_in, way_to


def given_the_same(tree: ir.Node, line: int, column: int) -> bool:
    """Is that so for an argument of the call at this place, in its function?"""
    way = way_to(tree, line, column)
    call = way[-1] if way else None
    around = function_in(way)
    if around is None or not isinstance(call, ir.Call):
        return False
    names = {one.id for one in (*call.args, *(value for _, value in call.keywords)) if isinstance(one, ir.Name)}
    return any(
        isinstance(node, ir.If) and not node.orelse and renamed(node.body) in names for node in every_node(around.body)
    )


def renamed(body: tuple[ir.Stmt, ...]) -> str:
    """The name that the only statement gives what another name holds."""
    only = body[0] if len(body) == 1 else None
    if not isinstance(only, ir.Assign) or not isinstance(only.value, ir.Name) or len(only.targets) != 1:
        return ""
    return only.targets[0].id if isinstance(only.targets[0], ir.Name) else ""
