"""What is off unless somebody asks for it, and who may have asked: `Options(**read(file))`, `{**DEFAULTS, **given}`?

A default of `False` or None that stands beside settings nobody knows is what holds where they do not speak of it. Both
may be so. A number or a word stays what most people leave it.
"""

from __future__ import annotations

from typing import Any

from dtlint.machine.contents.opaque import opaque
from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.values import FALSE, NONE, Const, Value


def is_off(value: Value | None) -> bool:
    return value in (FALSE, NONE)


def perhaps(machine: Machine, default: Value | None, settings: Value, name: Any) -> Value | None:
    """What the settings have under this name, if the default may not hold."""
    return opaque(machine, "item", settings, Const(name)) if is_off(default) else None


def executed(machine: Machine, call: Invocation) -> Value:
    """`exec(open("overrides.py").read())`: the settings above it may be others from here on."""
    frame, text = machine.frame, call.arguments[0] if call.arguments else NONE
    for name, held in list(frame.variables.items()) if len(call.values) == 1 else ():
        given = perhaps(machine, held, text, name) if isinstance(name, str) and not name.startswith("__") else None
        if given is not None:
            machine.store(frame.variables, name, given, call.mask, frame.mask)
    return NONE


MODELS: dict[str, Any] = {"executed": executed}
