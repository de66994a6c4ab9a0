"""Which class does a call make: `type("Eager", (Loud, Job), {"wanted": True})`?"""

from __future__ import annotations

from collections.abc import Iterable

from dtlint.ir import nodes as ir
from dtlint.machine.contents import containers
from dtlint.machine.core import Machine
from dtlint.machine.lanes import map_lanes
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.values import ClassRef, Const, External, Value


def of_parts(machine: Machine, call: Invocation) -> Value:
    """For each lane by the bases that it has."""
    from dtlint.machine.names import scopes

    unknown = machine.fresh("made class")

    def one(name: Value, bases: Value, body: Value) -> Value:
        known = containers.items_of(machine, bases)
        if not isinstance(name, Const) or known is None or not containers.is_closed_table(body):
            return unknown
        if not all(isinstance(base, ClassRef | External) for base in known):
            return unknown
        held = {key[1]: value for key, value in body.attributes.items() if isinstance(key, tuple) and key[0] == "key"}
        made = named(machine, str(name.value), known, held, held)
        for value in held.values():
            scopes.own(value, made)
        return made

    return map_lanes(one, call.arguments, machine.world)


def named(
    machine: Machine, name: str, bases: tuple[Value, ...], held: dict[str, Value], tokens: Iterable[str]
) -> ClassRef:
    """A class that stands where it is made."""
    node = ir.Class(name, name, (), (), (), (), None, frozenset(tokens), machine.current_at)
    return ClassRef(node, machine.frame.path, bases, held)
