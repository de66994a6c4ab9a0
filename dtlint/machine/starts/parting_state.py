"""Which attributes of a class keep who the rank is, or what only some ranks have?

A trainer is one thing: its constructor asks for the rank, a method decides on `self.patience is not None`. Such a
method tells ranks apart although it names nothing of the kind.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node, functions_of

NESTED = (ir.Function, ir.Class)


def attributes_by_class(module: ir.Module, ranks: frozenset[str]) -> dict[int, set[str]]:
    """By the identity of the class's node."""
    found: dict[int, set[str]] = {}
    for function, owner in functions_of(module):
        if owner is not None and function.params and not function.tokens.isdisjoint(ranks):
            first = function.params[0].name
            found.setdefault(id(owner), set()).update(parted_in(function, first, ranks))
    return found


def parted_in(function: ir.Function, first: str, ranks: frozenset[str]) -> Iterator[str]:
    """`self.writer = Writer() if rank == 0 else None`, and what is written on one side of such a question."""
    for node in every_node(function.body, NESTED):
        if isinstance(node, ir.If) and speaks(node.test, ranks):
            for inner in every_node((node.body, node.orelse), NESTED):
                yield from written(inner, first)
        elif isinstance(node, ir.Assign | ir.AnnAssign) and speaks(node.value, ranks):
            yield from written(node, first)


def speaks(node: ir.Expr | None, ranks: frozenset[str]) -> bool:
    return any(
        (isinstance(one, ir.Name) and one.id in ranks) or (isinstance(one, ir.Attr) and one.name in ranks)
        for one in every_node(node)
    )


def written(node: ir.Node, first: str) -> Iterator[str]:
    if isinstance(node, ir.Assign | ir.AnnAssign):
        for target in node.targets if isinstance(node, ir.Assign) else (node.target,):
            if isinstance(target, ir.Attr) and isinstance(target.value, ir.Name) and target.value.id == first:
                yield target.name
