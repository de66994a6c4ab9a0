"""Which side of `where(question, one, other)` does a result go to, if it goes nowhere else? The sides of a question may
also be spelled as factors: `one * (kind == 0) + other * (kind == 1)`."""

from __future__ import annotations

from dtlint.ir import nodes as ir
from dtlint.ir.examples import names_below, of_its_own, outward
from dtlint.ir.functions import called_name
from dtlint.ir.ways import Place, Way, way_to

PICKS = frozenset({"where", "select"})
Side = tuple[str, object]  # the question, as it is written, and the place of the argument, or the answer


def one_is_taken(module: ir.Module, first: Place, second: Place) -> bool:
    """`where(question, draw(key), other_draw(key))`: only one of the two comes to anything."""
    one, other = side_of(module, *first), side_of(module, *second)
    return one is not None and other is not None and one[0] == other[0] and one[1] != other[1]


def side_of(module: ir.Module, line: int, column: int) -> Side | None:
    """Of the call that stands there."""
    way = way_to(module, line, column)
    if len(way) < 2:
        return None
    above = way[-2]
    if not isinstance(above, ir.Assign):
        return picked(way)
    if len(above.targets) != 1 or not isinstance(above.targets[0], ir.Name):
        return None
    scope = next(node for node in reversed(way) if isinstance(node, ir.Function | ir.Module))
    reads = [read for read in names_below(scope, ()) if read[-1].id == above.targets[0].id and not of_its_own(read)]
    sides = {picked(read) for read in reads}
    return sides.pop() if len(sides) == 1 else None


def picked(way: Way) -> Side | None:
    """Is it made into an argument that may be taken, or another instead?"""
    for above, held in outward(way):
        if not isinstance(above, ir.Expr):
            return None
        if isinstance(above, ir.BinOp) and above.op == "*":
            factor = above.right if held is above.left else above.left
            if isinstance(factor, ir.Compare) and len(factor.pairs) == 1:
                how, other = factor.pairs[0]
                if how == "==" and isinstance(other, ir.Const):
                    return repr(factor.left), other.value
        if isinstance(above, ir.Call) and called_name(above) in PICKS:
            places = [index for index, one in enumerate(above.args) if one is held and index]
            return (repr(above.args[0]), places[0]) if places else None
    return None
