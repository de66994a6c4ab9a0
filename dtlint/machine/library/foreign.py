"""What may a method that nobody knows have done to the thing it was called on?

`config.merge_from_file(path)`: called for its effect, since nobody takes what it gives back. Afterwards the numbers and
words that the program had put there may be others, the same on all ranks.
"""

from __future__ import annotations

from dtlint.ir import nodes as ir
from dtlint.machine.core import Machine
from dtlint.machine.values import Const, Object, Value

DEPTH = 4  # sections of sections


def discarded(machine: Machine, node: ir.Expr, mask: int) -> None:
    if not isinstance(node, ir.Call) or not isinstance(node.func, ir.Attr):
        return
    if not isinstance(node.func.value, ir.Name | ir.Attr):
        return  # made on the spot
    thing: Value = machine.evaluate(node.func.value, mask)
    if isinstance(thing, Object) and isinstance(thing.kind, str) and is_foreign(machine, thing.kind, node.func.name):
        unsettle(machine, thing, DEPTH)


def is_foreign(machine: Machine, kind: str, method: str) -> bool:
    """Of a library class of which no pack says anything."""
    knowledge = machine.knowledge
    known = kind in knowledge.types or knowledge.api(kind) is not None or knowledge.method(kind, method) is not None
    return "." in kind and not known


def unsettle(machine: Machine, thing: Object, depth: int) -> None:
    """On all lanes alike: one that calls `config.save()` alone does not get another configuration by it."""
    full = machine.world.full
    for name, held in tuple(thing.attributes.items()):
        if isinstance(held, Const):
            unknown = machine.unknown("attr after", thing.number, str(name))
            machine.store(thing.attributes, name, unknown, full, full)
        elif isinstance(held, Object) and held.kind == thing.kind and depth:
            unsettle(machine, held, depth - 1)
