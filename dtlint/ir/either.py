"""Which side of `where(question, one, other)` does a result go to, or all that is made of it? The sides of a question
may also be spelled as factors: `one * (kind == 0) + other * (kind == 1)`."""

from __future__ import annotations

from dtlint.ir import nodes as ir
from dtlint.ir.examples import comes_behind, names_below, of_its_own, outward
from dtlint.ir.functions import called_name
from dtlint.ir.leftovers import written
from dtlint.ir.ways import Place, Way, statement_in, way_to

PICKS = frozenset({"where", "select"})
Side = tuple[str, object]  # the question, as it is written, and the place of the argument, or the answer


def one_is_taken(module: ir.Module, first: Place, second: Place) -> bool:
    """`where(question, draw(key), other_draw(key))`: only one of the two comes to anything."""
    one, other = side_of(module, *first), side_of(module, *second)
    return one is not None and other is not None and one[0] == other[0] and one[1] != other[1]


def side_of(module: ir.Module, line: int, column: int) -> Side | None:
    """Of the call that stands there, and of all that is made of it."""
    way = way_to(module, line, column)
    if len(way) < 2:
        return None
    scope = next(index for index in reversed(range(len(way))) if isinstance(way[index], ir.Function | ir.Module))
    reads = [(*way[:scope], *read) for read in names_below(way[scope], ())]
    sides: set[Side | None] = set()
    todo, seen = [way], set[str]()
    while todo and None not in sides:
        made = todo.pop()
        side, statement = picked(made), statement_in(made)
        names = written(statement)
        if side is not None or not names:
            sides.add(side)
            continue
        above = made[: next(index for index, one in enumerate(made) if one is statement) + 1]
        new, seen = names - seen, seen | names
        for read in reads:
            if read[-1].id in new and comes_behind(read, above) and not any(node is statement for node in read):
                todo += [] if of_its_own(read[scope:]) else [read]
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
