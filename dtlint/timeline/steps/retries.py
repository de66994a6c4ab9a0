"""Is a loop left as soon as a turn of it has succeeded, so that its turns are tries of one step?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node
from dtlint.ir.heeded import block_of
from dtlint.ir.ways import Way, way_to
from dtlint.timeline.order import Met

LEAVES = (ir.Break, ir.Return, ir.Raise)


def left_after(run: Any, backward: Met, clears: Sequence[Met]) -> bool:
    """Does whatever follows the pass in its turn end in a `break`, unless the gradients are cleared before another
    turn?"""
    event = backward.event
    module = run.project.module(event.path)
    if module is None:
        return False
    places = [met.event.at for met in clears if met.event.path == event.path]
    for statement in behind(way_to(module, *event.at[:2])):
        if isinstance(statement, LEAVES):
            return True
        if goes_on(statement) and not any(holds(statement, place) for place in places):
            return False
    return False


def behind(way: Way) -> Iterator[ir.Stmt]:
    """What stands behind this in the turn of the innermost loop around it, from the inside out."""
    loops = [number for number, node in enumerate(way) if isinstance(node, ir.For | ir.While)]
    inner = way[loops[-1] :] if loops else ()
    for above, node in reversed([*pairwise(inner)]):
        block = block_of(above, node)
        if block:
            yield from block[block.index(node) + 1 :]  # type: ignore[arg-type]


def goes_on(statement: ir.Stmt) -> bool:
    return any(isinstance(node, ir.Continue) for node in every_node(statement, (ir.Function, ir.Lambda)))


def holds(statement: ir.Stmt, place: tuple[int, ...]) -> bool:
    return any(
        isinstance(node, ir.Call) and node.at is not None and node.at[:2] == tuple(place[:2])
        for node in every_node(statement)
    )
