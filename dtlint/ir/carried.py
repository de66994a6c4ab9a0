"""Which names does a turn of a loop read before it has given them a value of its own?

What such a name holds comes from the turn before. `total += x` counts as giving a value: whoever wants to know the sum
reads it elsewhere.
"""

from __future__ import annotations

from typing import Any

from dtlint.ir import nodes as ir

SKIPPED = (ir.Function, ir.Class, ir.Lambda)


def carried(loop: ir.For | ir.While) -> frozenset[str]:
    names = frozenset(loop.assigned)
    found: set[str] = set()
    given: set[str] = set()
    if isinstance(loop, ir.While):
        reads(loop.test, names, found)
    else:
        gives(loop.target, given)
    block(loop.body, names, given, found)
    return frozenset(found)


def block(body: tuple[ir.Stmt, ...], names: frozenset[str], given: set[str], found: set[str]) -> None:
    """Walk statements in order; `given` grows by the names that surely have a value afterwards."""
    for statement in body:
        match statement:
            case ir.Assign():
                note(statement.value, names, given, found)
                for target in statement.targets:
                    if not isinstance(target, ir.Name):
                        note(target, names, given, found)
                    gives(target, given)
            case ir.AugAssign():
                note(statement.value, names, given, found)
                if isinstance(statement.target, ir.Name):
                    gives(statement.target, given)
                else:
                    note(statement.target, names, given, found)
            case ir.If():
                note(statement.test, names, given, found)
                then, other = set(given), set(given)
                block(statement.body, names, then, found)
                block(statement.orelse, names, other, found)
                given |= then & other
            case ir.With():
                for expression, target in statement.items:
                    note(expression, names, given, found)
                    if target is not None:
                        gives(target, given)
                block(statement.body, names, given, found)
            case ir.For() | ir.While():
                inner = set(given)
                if isinstance(statement, ir.For):
                    note(statement.iterable, names, inner, found)
                    gives(statement.target, inner)
                else:
                    note(statement.test, names, inner, found)
                block(statement.body, names, inner, found)
                block(statement.orelse, names, set(given), found)
            case ir.Try():
                block(statement.body, names, given, found)
                for handler in statement.handlers:
                    block(handler.body, names, set(given), found)
                block(statement.orelse, names, given, found)
                block(statement.final, names, given, found)
            case _:
                note(statement, names, given, found)


def note(part: Any, names: frozenset[str], given: set[str], found: set[str]) -> None:
    reads(part, names - given, found)


def reads(part: Any, names: frozenset[str], found: set[str]) -> None:
    """Collect the names of `names` that are read anywhere in this piece of program."""
    if isinstance(part, tuple | list):
        for item in part:
            reads(item, names, found)
    elif isinstance(part, ir.Name):
        if part.id in names:
            found.add(part.id)
    elif isinstance(part, ir.Node) and not isinstance(part, SKIPPED):
        for slot in part.below:
            reads(getattr(part, slot), names, found)


def gives(target: ir.Expr, given: set[str]) -> None:
    if isinstance(target, ir.Name):
        given.add(target.id)
    elif isinstance(target, ir.Tup | ir.ListExpr):
        for item in target.items:
            gives(item, given)
    elif isinstance(target, ir.Star):
        gives(target.value, given)


__all__ = ["carried"]
