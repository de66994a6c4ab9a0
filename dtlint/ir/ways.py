"""Where in a tree does something stand?"""

from __future__ import annotations

from dtlint.ir import nodes as ir
from dtlint.ir.functions import children

Place = tuple[int, int]  # line and column
Way = tuple[ir.Node, ...]  # a node, and before it those above it, outermost first


def way_to(node: ir.Node, line: int, column: int) -> Way:
    """To the call that stands there; nothing where none does."""
    todo: list[Way] = [(node,)]
    while todo:
        way = todo.pop()
        last = way[-1]
        if isinstance(last, ir.Call) and last.at is not None and last.at[:2] == (line, column):
            return way
        todo.extend((*way, below) for below in children(last))
    return ()


def statement_in(way: Way) -> ir.Stmt | None:
    """The innermost statement."""
    return next((node for node in reversed(way) if isinstance(node, ir.Stmt)), None)


def function_in(way: Way) -> ir.Function | None:
    """The innermost function."""
    return next((node for node in reversed(way) if isinstance(node, ir.Function)), None)


def after(above: ir.Node, held: ir.Node) -> tuple[ir.Stmt, ...]:
    """The statements that follow in the same block. What a lambda gives, or one side of an `if` expression, is none."""
    for block in () if isinstance(above, ir.Lambda | ir.IfExp) else ("body", "orelse", "final"):
        statements = getattr(above, block, ())
        place = next((index for index, one in enumerate(statements) if one is held), None)
        if place is not None:
            return tuple(statements[place + 1 :])
    return ()
