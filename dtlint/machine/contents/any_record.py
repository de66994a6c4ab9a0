"""What does one of several records hold: `task = tasks[step % len(tasks)]`, of a class that is fields and no more?

What all of them hold is known. Of what differs only that it is one of these: to take the first for it would be to say
that every step has the same task.
"""

from __future__ import annotations

from dtlint.machine.core import Machine
from dtlint.machine.functions import instances
from dtlint.machine.joining import join
from dtlint.machine.lanes import token
from dtlint.machine.names import classes
from dtlint.machine.values import ClassRef, Const, Object, Symbol, Value

MADE = "any of records"  # fact of the run: by the question which of them it is


def of(machine: Machine, known: tuple[Value, ...], which: Symbol) -> Object | None:
    """None where they are no such records, or all alike."""
    records = [one for one in known if isinstance(one, Object)]
    first = records[0] if records else None
    if first is None or len(records) < len(known) or not all_fields(machine, records):
        return None
    names = [name for name, held in first.attributes.items() if any(one.attributes[name] != held for one in records)]
    if not names or not all(isinstance(one.attributes[name], Const) for one in records for name in names):
        return None
    fields = tuple(tuple(token(held) for held in one.attributes.values()) for one in records)
    before = machine.facts.setdefault(MADE, {}).get(which)
    if before is not None and before[0] == fields:
        return before[1]
    made = machine.anew(first, first.birth)
    for name in names:
        held = first.attributes[name]
        for one in records[1:]:
            held = join(held, one.attributes[name], machine.symbols, which, None)
        made.attributes[name] = held
    machine.facts[MADE][which] = (fields, made)
    return made


def all_fields(machine: Machine, records: list[Object]) -> bool:
    """Are they of one class, whose instances hold nothing but the fields it lists?"""
    kind = records[0].kind
    if not isinstance(kind, ClassRef) or any(one.kind is not kind for one in records):
        return False
    if not any(name in instances.DATACLASSES for name in kind.decorated) or classes.external_bases(machine, kind):
        return False
    listed = set(instances.field_names(machine, kind))
    return all(one.attributes.keys() == listed for one in records)
