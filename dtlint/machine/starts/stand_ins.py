"""Which class of the project stands where an abstract one is named?

`def save(gang: Gang)`: whoever calls it hands over a thing of a class derived from `Gang`. Where one of these meets
other ranks, several ranks are what it was written for, and it stands for the others.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.ir import nodes as ir
from dtlint.ir.functions import called_names, last_name
from dtlint.machine.core import Machine
from dtlint.machine.functions.calls import left_to_subclasses
from dtlint.machine.names import classes, scopes
from dtlint.machine.values import ClassRef, FunctionRef, Value

STAND_INS = "stand-ins"  # note: by the class that is named
FILES = 24  # that may derive from an abstract class; those of one that everybody names, nobody looks for


def stand_in(machine: Machine, kind: ClassRef) -> ClassRef:
    """The class itself, unless it leaves something to those derived from it."""
    known: dict[int, ClassRef] = machine.notes.setdefault(STAND_INS, {})
    if id(kind.node) not in known:
        known[id(kind.node)] = kind
        if is_abstract(machine, kind):
            meeting = (one for one in derived(machine, kind) if meets(machine, one) and not is_abstract(machine, one))
            known[id(kind.node)] = next(meeting, kind)
    return known[id(kind.node)]


def is_abstract(machine: Machine, kind: ClassRef) -> bool:
    owners = [one for one in classes.linearise(machine, kind) if isinstance(one, ClassRef)]
    names = {name for owner in owners for name, held in owner.attributes.items() if is_left_open(held)}
    return any(is_left_open(classes.in_class(machine, kind, name)) for name in names)


def is_left_open(held: Value | None) -> bool:
    return isinstance(held, FunctionRef) and isinstance(held.node, ir.Function) and left_to_subclasses(held.node)


def meets(machine: Machine, kind: ClassRef) -> bool:
    """Does it call what communicates? One for a single process has methods of these names, and calls none."""
    return any(name in machine.knowledge.communicating for name in called_names(kind.node.body))


def derived(machine: Machine, kind: ClassRef) -> Iterator[ClassRef]:
    """The classes of the project that are derived from this one, at the top of their files."""
    paths = machine.project.mentioning(f"({kind.name}")
    for path in paths if len(paths) <= FILES else ():
        for statement in machine.project.module(path).body:
            if isinstance(statement, ir.Class) and any(last_name(base) == kind.name for base in statement.bases):
                found = scopes.load_module(machine, path).variables.get(statement.name)
                if isinstance(found, ClassRef) and kind in found.bases:
                    yield found
                    yield from derived(machine, found)
