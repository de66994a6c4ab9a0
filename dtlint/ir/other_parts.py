"""Does one call stand in two places, for another part of what it gives each time: `make(key)[0], make(key)[1]`?

Who writes that wants the parts of one result, and has it made twice.
"""

from __future__ import annotations

from dtlint.ir import nodes as ir
from dtlint.ir.ways import Place, way_to


def parts_of_one(tree: ir.Module, one: Place, other: Place) -> bool:
    ways = way_to(tree, *one), way_to(tree, *other)
    parts = [way[-2] for way in ways if len(way) > 1 and isinstance(way[-2], ir.Index | ir.Attr)]
    if len(parts) != 2 or ways[0][-1] is ways[1][-1]:
        return False
    return repr(ways[0][-1]) == repr(ways[1][-1]) and repr(parts[0]) != repr(parts[1])
