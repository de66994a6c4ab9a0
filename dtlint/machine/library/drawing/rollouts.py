"""What a policy samples by itself: `model.generate(…, do_sample=True)`."""

from __future__ import annotations

from typing import Any

from dtlint.machine.core import Machine
from dtlint.machine.library.computing import provenance
from dtlint.machine.library.drawing import seeds
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.values import TRUE, Unknown, Value

SAMPLED = "sampled by a policy"  # mark: what a draw of a policy gave, and all that is made of it


def generated(machine: Machine, call: Invocation) -> Value:
    """A draw, where it is told to sample; what came of it stays with the event, to be found again in a loss."""
    from dtlint.machine.library.python import builtins as python

    made: Value = python.opaque(machine, call)
    if call.get("do_sample") == TRUE and isinstance(made, Unknown):
        call.extra["rng"] = seeds.current(machine, "torch")
        call.extra["device"] = seeds.current(machine, "cuda")
        call.extra["sampled"] = mark = (SAMPLED, made.symbol)
        machine.emit_event("record", "draw", call.name, call.mask, subject=call.receiver, extra={"call": call})
        return provenance.marked(made, mark)
    return made


MODELS: dict[str, Any] = {"generated": generated}
