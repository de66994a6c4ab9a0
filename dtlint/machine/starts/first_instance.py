"""Methods that nobody calls all begin on the same instance: it is made once, and put back for each of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.machine.core import Machine
from dtlint.machine.names.frames import Write
from dtlint.machine.values import ClassRef, Object, Value


@dataclass(frozen=True)
class Kept:
    """All that making an instance has changed."""

    made: Value
    writes: list[Write]
    notes: list[tuple[Object, dict[str, Any], Any]]  # what is known of the objects made with it, and who filled them
    facts: dict[str, Any]
    making: dict[int, ir.Call]
    spent: int


def given(machine: Machine, kind: ClassRef, stage: str, make: Callable[[], Value]) -> Value:
    """What `make` makes, or made before in this unit. Only where nothing has happened yet in this entry."""
    if machine.journal or machine.facts or machine.spent:
        return make()
    kept = machine.instances.get((kind, stage))
    if kept is None:
        kept = machine.instances[kind, stage] = remembered(machine, make)
    else:
        machine.apply_writes(kept.writes)
        for thing, facts, filled in kept.notes:
            thing.filled = filled
            thing.facts.clear()
            thing.facts.update(copied(facts))
            if machine.born is not None:
                machine.born.append(thing)
        machine.spent = kept.spent
    machine.facts = copied(kept.facts)
    machine.making = dict(kept.making)
    machine.remembered = {}
    made: Value = kept.made
    return made


def remembered(machine: Machine, make: Callable[[], Value]) -> Kept:
    """An instance may be made of one that was made before: what was made with that is made with it, too."""
    outer, born = machine.born, list[Object]()
    machine.born = born
    try:
        made = make()
        writes = machine.rollback(0)
        machine.apply_writes(writes)
        notes = [(thing, copied(thing.facts), thing.filled) for thing in born]
    finally:
        machine.born = outer
    if outer is not None:
        outer += born
    return Kept(made, writes, notes, copied(machine.facts), dict(machine.making), machine.spent)


def copied(thing: Any) -> Any:
    """Containers anew, with the same things in them: what later code adds is not added here."""
    if type(thing) is dict:
        return {name: copied(value) for name, value in thing.items()}
    if type(thing) is list:
        return [copied(value) for value in thing]
    return set(thing) if type(thing) is set else thing
