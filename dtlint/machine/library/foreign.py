"""What may a method that nobody knows have done to the thing it was called on?

`config.merge_from_file(path)`: called for its effect, since nobody takes what it gives back. Afterwards the numbers and
words that the program had put there may be others, the same on all ranks.
"""

from __future__ import annotations

from dtlint.ir import nodes as ir
from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.values import Const, Object, Value

DEPTH = 4  # sections of sections
LAST = "last foreign call"  # fact of the run: the call, and what it was made on


def called(machine: Machine, call: Invocation) -> None:
    """A method of a library class of which no pack says anything."""
    thing = call.receiver
    if is_foreign(machine, thing):
        machine.facts[LAST] = (call.node, thing)


def is_foreign(machine: Machine, thing: Value | None) -> bool:
    if not isinstance(thing, Object) or not isinstance(thing.kind, str) or "." not in thing.kind:
        return False
    return thing.kind not in machine.knowledge.types and machine.knowledge.api(thing.kind) is None


def discarded(machine: Machine, node: ir.Expr) -> None:
    called_last, thing = machine.facts.get(LAST, (None, None))
    if called_last is node:
        unsettle(machine, thing, DEPTH)


def unsettle(machine: Machine, thing: Object, depth: int) -> None:
    """On all lanes alike: one that calls `config.save()` alone does not get another configuration by it."""
    full = machine.world.full
    for name, held in tuple(thing.attributes.items()):
        if isinstance(held, Const):
            unknown = machine.unknown("attr after", thing.number, str(name))
            machine.store(thing.attributes, name, unknown, full, full)
        elif isinstance(held, Object) and held.kind == thing.kind and depth:
            unsettle(machine, held, depth - 1)
