"""What does a file hold: its functions, as far as they can be told from outside, and every node below one?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.ir import nodes

Found = tuple[nodes.Function, "nodes.Class | None"]


def functions_of(module: nodes.Module) -> Iterator[Found]:
    """Top-level functions and methods, outermost first."""

    def inside(body: tuple[nodes.Stmt, ...], owner: nodes.Class | None) -> Iterator[Found]:
        for statement in body:
            if isinstance(statement, nodes.Function):
                yield statement, owner
            elif isinstance(statement, nodes.Class):
                yield from inside(statement.body, statement)
            elif isinstance(statement, nodes.If):
                yield from inside(statement.body, owner)
                yield from inside(statement.orelse, owner)
            elif isinstance(statement, nodes.Try):
                yield from inside(statement.body, owner)
                for handler in statement.handlers:
                    yield from inside(handler.body, owner)

    yield from inside(module.body, None)


def every_node(below: Any) -> Iterator[Any]:
    """Every node below, outermost first, in the order of the text."""
    todo = [below]
    while todo:
        node = todo.pop()
        if isinstance(node, tuple | list):
            todo.extend(reversed(node))
        elif isinstance(node, nodes.Node):
            yield node
            slots: tuple[str, ...] = type(node).__slots__
            todo.extend(getattr(node, slot) for slot in reversed(slots))
