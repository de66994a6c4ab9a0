"""Which methods of a class may have run before the one that is entered?"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.ir import nodes as ir
from dtlint.machine.values import ClassRef

CONSTRUCTORS = ("__init__", "__post_init__", "__new__")


def methods(owner: ClassRef) -> Iterator[ir.Function]:
    """Its own, but for those that make it."""
    for statement in owner.node.body:
        if isinstance(statement, ir.Function) and statement.name not in CONSTRUCTORS and statement.params:
            if statement.params[0].name == "self":
                yield statement
