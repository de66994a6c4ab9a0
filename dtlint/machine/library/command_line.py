"""Which function of the project does a command line library run, and on what?

`app.run(main)`, `fire.Fire(train)`, `tyro.cli(Config)`: the script's own body only hands over what to run.
"""

from __future__ import annotations

from typing import Any

from dtlint.ir import nodes as ir
from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.values import NONE, Bound, ClassRef, Const, FunctionRef, Object, Value


def run(machine: Machine, call: Invocation) -> Value | None:
    given = call.get(call.row.params[0]) if call.row.params else None
    if isinstance(given, ClassRef):
        return filled(machine, call, given)
    inner = given.function if isinstance(given, Bound) else given
    if given is None or not isinstance(inner, FunctionRef) or not isinstance(inner.node, ir.Function):
        return None
    from dtlint.machine import calls, entries

    bound = isinstance(given, Bound) and given.receiver is not None
    arguments = entries.unknown_arguments(machine, inner.node, bound)
    result = calls.call_value(machine, given, arguments, (), call.mask, None)
    return NONE if call.row.result == "none" else result


def filled(machine: Machine, call: Invocation, kind: ClassRef) -> Value:
    """An instance whose fields are what they are by default; a switch may be given either way."""
    from dtlint.machine import instances

    made = instances.instantiate(machine, kind, (), (), call.mask)
    if isinstance(made, Object):
        for name in instances.field_names(machine, kind):
            default = made.attributes.get(name) or kind.attributes.get(name)
            if isinstance(default, Const) and (default.value is None or isinstance(default.value, bool)):
                machine.set(made, name, machine.unknown("option", kind.name, name), call.mask)
    return made


MODELS: dict[str, Any] = {"command_line": run}
