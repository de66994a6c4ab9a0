"""What does the body of a module seed for whoever imports it first?

A module's body is run once and kept, apart from the runs that import it. The global generators are one for the whole
process: `import settings`, whose body says `seed_everything(1)`, seeds them for the program.
"""

from __future__ import annotations

from dtlint.machine.core import Machine
from dtlint.machine.library.drawing.seeds import MODULE, REGISTERS, registers
from dtlint.machine.logs import Site
from dtlint.machine.values import Const, Object, Value

SEEDS = "module seeds"  # note, by the path of a module


def leave(machine: Machine, path: str) -> None:
    """At the end of a module's body: how the generators stand that it has seeded."""
    held = machine.facts.get("rng")
    if not isinstance(held, Object):
        return
    found: list[tuple[str, Value, Site]] = []
    for name in REGISTERS:
        place = held.attributes.get(f"{name} at")
        if isinstance(place, Const) and isinstance(place.value, tuple):
            found.append((name, held.attributes[name], (place.value[0], place.value[1], MODULE)))
    if found:
        machine.notes[SEEDS, path] = found


def imported(machine: Machine, path: str, mask: int) -> None:
    """The module is imported for the first time in this run."""
    found = machine.notes.get((SEEDS, path), ())
    if not found or path in machine.facts.get("imported", ()):
        return
    held = registers(machine)
    machine.oldest_write = 0  # as a call that seeds them
    for name, value, place in found:
        machine.set(held, name, value, mask)
        machine.set(held, f"{name} at", Const(place), mask)
