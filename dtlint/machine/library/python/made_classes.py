"""Which class does `type("Eager", (Loud, Job), {"wanted": True})` make?"""

from __future__ import annotations

from dtlint.ir import nodes as ir
from dtlint.machine.contents import containers
from dtlint.machine.core import Machine
from dtlint.machine.lanes import map_lanes
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.values import ClassRef, Const, External, Object, Value


def of_parts(machine: Machine, call: Invocation) -> Value:
    """For each lane by the bases that it has."""
    from dtlint.machine.names import scopes

    unknown = machine.fresh("made class")

    def one(name: Value, bases: Value, body: Value) -> Value:
        known = containers.items_of(machine, bases)
        if (
            not isinstance(name, Const)
            or known is None
            or not all(isinstance(base, ClassRef | External) for base in known)
        ):
            return unknown
        if not isinstance(body, Object) or body.kind != "dict" or "[]" in body.attributes:
            return unknown
        held = {key[1]: value for key, value in body.attributes.items() if isinstance(key, tuple) and key[0] == "key"}
        text = str(name.value)
        node = ir.Class(text, text, (), (), (), (), None, frozenset(held), machine.current_at)
        made = ClassRef(node, machine.frame.path, known, held)
        for value in held.values():
            scopes.own(value, made)
        return made

    return map_lanes(one, call.arguments, machine.world)
