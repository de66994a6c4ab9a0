"""Is something put back between two places to what it was before: `kept = self.key`, a trial, `self.key = kept`?

Who does that wants what follows to go on as if the trial had not been.
"""

from __future__ import annotations

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node
from dtlint.ir.ways import Place, way_to


def put_back(tree: ir.Node, before: Place, after: Place) -> bool:
    """Does the function of both places keep something in front of the first, and put it back behind that?"""
    around = [one for one in way_to(tree, *after) if isinstance(one, ir.Function)]
    if not around:
        return False
    assigned = [node for node in every_node(around[-1].body) if isinstance(node, ir.Assign) and len(node.targets) == 1]
    kept = {repr(held) for node in assigned if node.at[:2] < before and (held := keeping(node)) is not None}
    back = {repr(held) for node in assigned if before < node.at[:2] < after and (held := returning(node)) is not None}
    return bool(kept & back)


def keeping(node: ir.Assign) -> tuple[ir.Expr, str] | None:
    """`kept = self.key`: what is kept, and under which name."""
    name = node.targets[0]
    return (node.value, name.id) if isinstance(name, ir.Name) and isinstance(node.value, ir.Attr) else None


def returning(node: ir.Assign) -> tuple[ir.Expr, str] | None:
    """`self.key = kept`"""
    target = node.targets[0]
    return (target, node.value.id) if isinstance(target, ir.Attr) and isinstance(node.value, ir.Name) else None
