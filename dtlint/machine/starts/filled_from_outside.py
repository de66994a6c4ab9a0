"""Which attributes that a constructor leaves empty does the rest of the program fill, `strategy.cluster = found`?"""

from __future__ import annotations

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node
from dtlint.machine.core import Machine
from dtlint.machine.values import NONE, Object, Unknown


def fill(machine: Machine, thing: Object) -> None:
    """Who enters a method of the instance may have filled them before."""
    for name, held in list(thing.attributes.items()):
        if held == NONE and isinstance(name, str) and not name.startswith("_") and filled(machine, name):
            machine.set(thing, name, anything(machine, thing, name), machine.world.full)


def anything(machine: Machine, thing: Object, name: str) -> Unknown:
    return machine.unknown("state", getattr(thing.kind, "name", thing.kind), name)


def filled(machine: Machine, name: str) -> bool:
    """Does the program anywhere give something of its own to an attribute of this name, and not to one of `self`?"""
    paths = set(machine.project.mentioning(f".{name} =")) & set(machine.project.selected)
    machine.project.looked |= paths  # asked by each unit: its answer is what the unit rests on
    known: dict[str, bool] = machine.notes.setdefault("filled from outside", {})
    if name not in known:
        modules = [machine.project.tree(path) for path in sorted(paths)]
        known[name] = any(fills(node, name) for module in modules for node in every_node(module.body))
    return known[name]


def fills(node: object, name: str) -> bool:
    if not isinstance(node, ir.Assign) or isinstance(node.value, ir.Const):
        return False
    others = (one for one in node.targets if isinstance(one, ir.Attr) and one.name == name)
    return any(not (isinstance(one.value, ir.Name) and one.value.id in ("self", "cls")) for one in others)
