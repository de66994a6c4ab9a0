"""What is known of the members of an enumeration that the program declares?

The machine holds what a member stands for; where it is read from its class, it also knows which member it is, so that
its methods are found.
"""

from __future__ import annotations

from dtlint.machine.core import Machine
from dtlint.machine.lanes import map_lanes, token
from dtlint.machine.names import classes
from dtlint.machine.values import Bound, ClassRef, Const, FunctionRef, Member, Value

KINDS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})


def is_enumeration(machine: Machine, kind: ClassRef) -> bool:
    return any(base.rpartition(".")[2] in KINDS for base in classes.external_bases(machine, kind))


def member(machine: Machine, kind: ClassRef, name: str, found: Value) -> Value:
    """`Role.LEAD`"""
    if type(found) is not Const or name.startswith("_") or not is_enumeration(machine, kind):
        return found
    return Member(found, kind, name)


def by_value(machine: Machine, kind: ClassRef, given: Value) -> Value:
    """`Role(0)`, `Role(os.environ["ROLE"])`"""

    def one(value: Value) -> Value:
        if isinstance(value, Const):
            for owner in classes.linearise(machine, kind):
                for name, held in owner.attributes.items() if isinstance(owner, ClassRef) else ():
                    if type(name) is str and type(held) is Const and held == value and not name.startswith("_"):
                        return Member(held, kind, name)
        return machine.unknown("enum", kind.name, token(value), cause=value.cause)

    return map_lanes(one, (given,), machine.world)


def by_name(machine: Machine, kind: ClassRef, name: Value) -> Value | None:
    """`Role["LEAD"]`"""
    if not is_enumeration(machine, kind):
        return None
    held = classes.in_class(machine, kind, str(name.value)) if isinstance(name, Const) else None
    if held is not None and isinstance(name, Const):
        return member(machine, kind, str(name.value), held)
    return machine.unknown("enum", kind.name, token(name), cause=name.cause)


def read(machine: Machine, thing: Member, name: str, mask: int) -> Value | None:
    """An attribute of a member, or a method that the enumeration has of its own."""
    from dtlint.machine.functions import calls

    if name == "name":
        return Const(thing.name)
    found = classes.in_class(machine, thing.kind, name)
    if not isinstance(found, FunctionRef):
        return None
    if found.kind in ("property", "kept property"):
        return calls.follow(machine, found, thing, (), (), mask)
    return found if found.kind == "static" else Bound(found, thing.kind if found.kind == "class" else thing)
