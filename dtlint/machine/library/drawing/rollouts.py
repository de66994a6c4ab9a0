"""What a policy says by itself: `model.generate(…)`, which draws where it is told to sample.

Every text is as long as it gets, and a batch of them as wide as the longest, unless the shortest is told as well."""

from __future__ import annotations

from typing import Any

from dtlint.machine.core import Machine
from dtlint.machine.library.computing import provenance, tensors
from dtlint.machine.library.drawing import seeds
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.values import TRUE, Unknown, Value

SAMPLED = "sampled by a policy"  # mark: what a draw of a policy gave, and all that is made of it

SHORTEST = frozenset({"min_length", "min_new_tokens"})


def generated(machine: Machine, call: Invocation) -> Value:
    """A draw, where it is told to sample; what came of it stays with the event, to be found again in a loss."""
    from dtlint.machine.library.python import builtins as python

    made: Value = python.opaque(machine, call)
    if isinstance(made, Unknown) and not any(name in SHORTEST for name, _ in call.keywords):
        made = Unknown(machine.symbols.of(tensors.OWN_WIDTH, made.symbol), made.cause, made.tags, made.like)
    if call.get("do_sample") == TRUE and isinstance(made, Unknown):
        call.extra["rng"] = seeds.current(machine, "torch")
        call.extra["device"] = seeds.current(machine, "cuda")
        call.extra["sampled"] = mark = (SAMPLED, made.symbol)
        machine.emit_event("record", "draw", call.name, call.mask, subject=call.receiver, extra={"call": call})
        return provenance.marked(made, mark)
    return made


MODELS: dict[str, Any] = {"generated": generated}
