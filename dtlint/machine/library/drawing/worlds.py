"""What does a policy see of the simulated world that it acts in? `environment.reset(seed=…)`, `environment.step(…)`

Begun with a seed of its own, or with none, the world of each rank goes its own way from the first moment on.
"""

from __future__ import annotations

from typing import Any

from dtlint.machine.contents.opaque import deep_cause
from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.values import BY_RANK, NONE, Cause, Object, Value

BEGUN = "begun alike"  # fact of a world: it was begun once with a seed, the same for all
OWN = "own world"  # fact of a world: why it is another one on each rank


def begun(machine: Machine, call: Invocation) -> Value | None:
    world, seed = call.receiver, call.get("seed")
    if not isinstance(world, Object):
        return None
    if seed is not None and seed != NONE:
        by = deep_cause(machine, (seed,))
        world.facts[BEGUN] = by is None
        world.facts[OWN] = own(machine, by, "a world with a seed of its own") if by and by.kind in BY_RANK else None
    elif not world.facts.get(BEGUN) and OWN not in world.facts:
        world.facts[OWN] = machine.cause("data", "a world without a seed: each rank sees another one")
    return seen(machine, world, call)


def own(machine: Machine, by: Cause, text: str) -> Cause:
    return Cause("data", by.then(machine.step(text)).trail)


def seen(machine: Machine, world: Object, call: Invocation) -> Value | None:
    cause = world.facts.get(OWN)
    return machine.unknown(call.name, world.number, machine.symbols.fresh("time"), cause=cause) if cause else None


def acted(machine: Machine, call: Invocation) -> Value | None:
    return seen(machine, call.receiver, call) if isinstance(call.receiver, Object) else None


MODELS: dict[str, Any] = {"world_begun": begun, "world_acted": acted}
