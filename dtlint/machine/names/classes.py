"""What does a class inherit, from the project and from libraries?"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dtlint.knowledge.rows import Api, Type
from dtlint.machine.core import Machine
from dtlint.machine.names.frames import Frame
from dtlint.machine.values import (
    ClassRef,
    External,
    Object,
    Value,
)


def linearise(machine: Machine, kind: ClassRef) -> tuple[Value, ...]:
    """The class and its bases in the order in which Python looks into them, project classes and library names alike."""
    if not kind.line:
        kind.line = (kind,)  # of a class that is its own base, as far as anybody can see
        lines = [[*(linearise(machine, base) if isinstance(base, ClassRef) else (base,))] for base in kind.bases]
        kind.line = (kind, *merged([*lines, list(kind.bases)])[:LONGEST])
        kind.library_bases = tuple(owner.name for owner in kind.line if isinstance(owner, External))
    return kind.line


LONGEST = 40  # line of bases


def merged(lines: list[list[Value]]) -> list[Value]:
    """No base comes before a class that is derived from it; where that cannot be, the first one is next."""
    order: list[Value] = []
    while lines := [line for line in lines if line]:
        heads = [line[0] for line in lines]
        good = (head for head in heads if not any(head in line[1:] for line in lines))
        chosen = next(good, heads[0])
        order.append(chosen)
        lines = [[one for one in line if one != chosen] for line in lines]
    return order


def in_class(machine: Machine, kind: ClassRef, name: str) -> Value | None:
    for owner in linearise(machine, kind):
        if isinstance(owner, ClassRef):
            found = owner.attributes.get(name)
            if found is not None:
                return found
    return None


def external_bases(machine: Machine, kind: ClassRef) -> tuple[str, ...]:
    linearise(machine, kind)
    return kind.library_bases


def library_types(machine: Machine, kind: ClassRef) -> Iterator[Type]:
    """What the packs say of the library classes that a class of the project is derived from."""
    for base in external_bases(machine, kind):
        for owner in machine.knowledge.ancestors(base):
            known = machine.knowledge.types.get(owner)
            if known is not None:
                yield known


def called_as(machine: Machine, role: Callable[[Type], tuple[str, ...]]) -> bool:
    """Is this below a method of the project to which a framework gives this role?"""
    frame: Frame | None = machine.frame
    while frame is not None:
        kind = getattr(frame.receiver, "kind", None)
        if isinstance(kind, ClassRef) and frame.function is not None:
            name = getattr(frame.function.node, "name", "")
            if any(name in role(one) for one in library_types(machine, kind)):
                return True
        frame = frame.caller
    return False


def may_have(machine: Machine, kind: ClassRef, name: str) -> bool:
    """Can an instance have this attribute from somewhere else than its own assignments?"""
    return (
        in_class(machine, kind, name) is not None
        or in_class(machine, kind, "__getattr__") is not None
        or bool(external_bases(machine, kind))
    )


def lacks(machine: Machine, thing: Value, name: str) -> bool:
    """Does the pack say that there is no such attribute? What a framework made of a library's thing may have it."""
    if not isinstance(thing, Object) or machine.get(thing, name) is not None:
        return False
    if isinstance(thing.kind, str):
        made = thing.facts.get("call")
        known_made = made is not None and (
            made.row.name in machine.knowledge.types or name in made.row.extra.get("lacks", ())
        )
        kinds = [thing.kind] if known_made else []
        if thing.facts.get("prepared"):
            return False
    elif any(in_class(machine, thing.kind, one) is not None for one in (name, "__getattr__")):
        return False
    else:
        owners = linearise(machine, thing.kind)
        names = [one.name if isinstance(one, External) else "" for one in owners if not isinstance(one, ClassRef)]
        kinds = [one for one in names if one.partition(".")[0] not in NO_LIBRARIES]
    known = [machine.knowledge.types.get(one) for one in kinds]
    return bool(known) and all(one is not None and name in one.lacks for one in known)


NO_LIBRARIES = frozenset({"builtins", "typing", "abc"})
SHOWN = "class shown by its use"  # fact of a thing of whose own class nobody knows anything


def is_a(machine: Machine, value: Value, kind: str) -> bool:
    """Is this an instance of the library class `kind` or of a class derived from it?"""
    if not isinstance(value, Object):
        return False
    return any(kind in machine.knowledge.ancestors(name) for name in library_classes(machine, value))


def library_classes(machine: Machine, thing: Object) -> tuple[str, ...]:
    """The class of a thing where a library has it, or those that a class of the project is derived from; and what its
    use shows it to be."""
    own = (thing.kind,) if isinstance(thing.kind, str) else external_bases(machine, thing.kind)
    shown: str | None = thing.facts.get(SHOWN)
    return own if shown is None else (*own, shown)


def method_row(machine: Machine, value: Value, name: str) -> Api | None:
    """The pack's row for a method of this value's class."""
    if isinstance(value, Object):
        for kind in library_classes(machine, value):
            row = machine.knowledge.method(kind, name)
            if row is not None:
                return row
    return None
