"""What does a `ContextVar` hold? What was set last, for the context that all of a script runs in."""

from __future__ import annotations

from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Handler, Invocation
from dtlint.machine.values import Object, Value

HELD = "held"


def put(machine: Machine, call: Invocation) -> Value | None:
    if isinstance(call.receiver, Object) and call.arguments:
        machine.set(call.receiver, HELD, call.arguments[0], call.mask)
    return machine.fresh("token")


def get(machine: Machine, call: Invocation) -> Value | None:
    return machine.get(call.receiver, HELD) if isinstance(call.receiver, Object) else None


FUNCTIONS: dict[str, Handler] = {"contextvars.ContextVar.set": put, "contextvars.ContextVar.get": get}
