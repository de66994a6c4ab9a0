"""Who asks how a generator stands, and sets it back to that: `state = torch.get_rng_state()` … `set_rng_state(state)`?

A state that comes from somewhere else, as from a checkpoint, is that of a run that goes on, and says nothing of seeds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dtlint.machine.core import Machine
from dtlint.machine.library.drawing.seeds import SEEDED, registers
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.values import NONE, Object, Unknown, Value

HELD = "states of generators"  # fact of the run: how the generators stood that somebody has asked for their states
Standing = dict[str, Value | None]


def asked(machine: Machine, call: Invocation) -> Value:
    """`torch.get_rng_state()`, `generator.get_state()`"""
    made = machine.unknown(call.name, machine.symbols.fresh("state"))
    machine.facts.setdefault(HELD, {})[made.symbol] = standing(machine, *meant(machine, call))
    return made


def given_back(machine: Machine, call: Invocation) -> Value:
    """`torch.set_rng_state(state)`: seeded as it was when somebody asked for the state, by whoever it was."""
    given = next(iter(call.values), None)
    known = machine.facts.get(HELD, {}).get(given.symbol) if isinstance(given, Unknown) else None
    if known is not None:
        held, names = meant(machine, call)
        # one may be given what another has told: a generator of the program's the state of torch's own
        stand(machine, held, dict(zip(standing(machine, held, names), known.values(), strict=False)), call.mask)
    return call.receiver if isinstance(call.receiver, Object) else NONE


def apart(machine: Machine, manager: Object, mask: int, inner: Callable[[Value, int], int]) -> int:
    """`with torch.random.fork_rng():` what is seeded and drawn inside is forgotten behind it."""
    row = machine.knowledge.api(manager.facts["api"])
    held, names = registers(machine), tuple(row.extra["seeds"]) if row is not None else ()
    before = standing(machine, held, names)
    out = inner(manager, mask)
    stand(machine, held, before, mask)
    return out


def meant(machine: Machine, call: Invocation) -> tuple[Object, tuple[str, ...]]:
    """The generator of the program's itself, or which of the global ones."""
    if isinstance(call.receiver, Object):
        return call.receiver, (SEEDED,)
    return registers(machine), tuple(call.row.extra["seeds"])


def standing(machine: Machine, held: Object, names: tuple[str, ...]) -> Standing:
    return {key: machine.get(held, key) for name in names for key in (name, f"{name} at")}


def stand(machine: Machine, held: Object, before: Standing, mask: int) -> None:
    for key, value in before.items():
        if value is not None:
            machine.set(held, key, value, mask)


MODELS: dict[str, Any] = {"state_asked": asked, "state_given_back": given_back}
