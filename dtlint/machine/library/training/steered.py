"""What does a hook tell the framework's loop, and where? What comes of it, `machine.steering` says."""

from __future__ import annotations

from dtlint.machine.core import Machine
from dtlint.machine.values import FALSE, Object, Value

STEERED = "steered"  # fact of the run: the thing, what the loop does next, and where it was told


def written(machine: Machine, base: Value, name: str) -> None:
    """`trainer.should_stop = …`: it was false before."""
    if not isinstance(base, Object) or not isinstance(base.kind, str):
        return
    known = machine.knowledge.types.get(base.kind)
    if known is None or name not in known.steers:
        return
    base.attributes.setdefault(name, FALSE)
    frame = machine.frame
    machine.facts.setdefault(STEERED, {})[base.number, name] = (base, known.steers[name], frame, machine.current_at)
