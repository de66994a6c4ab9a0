"""Which function of the project does a command line library run, and on what?

`app.run(main)`, `fire.Fire(train)`, `tyro.cli(Config)`: the script's own body only hands over what to run.
"""

from __future__ import annotations

from typing import Any

from dtlint.ir import nodes as ir
from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.values import NONE, Bound, ClassRef, Const, External, FunctionRef, Object, Value

COMMANDS = "commands"  # of a command line object: the functions registered with it


def run(machine: Machine, call: Invocation) -> Value | None:
    given = call.get(call.row.params[0]) if call.row.params else None
    if isinstance(given, ClassRef):
        return filled(machine, call, given)
    return enter(machine, call, given) if given is not None else None


def enter(machine: Machine, call: Invocation, given: Value) -> Value | None:
    inner = given.function if isinstance(given, Bound) else given
    if not isinstance(inner, FunctionRef) or not isinstance(inner.node, ir.Function):
        return None
    from dtlint.machine.functions import calls
    from dtlint.machine.starts import entries

    bound = isinstance(given, Bound) and given.receiver is not None
    arguments = entries.unknown_arguments(machine, inner.node, bound)
    if isinstance(given, Bound) and (given.extra or given.keywords):
        arguments = arguments[: 1 if "argv" in call.row.params else 0]  # the others were given before
    named = () if isinstance(given, Bound) and given.keywords else entries.unknown_keywords(machine, inner.node)
    result = calls.call_value(machine, given, arguments, named, call.mask, None)
    return NONE if call.row.result == "none" else result


def command_of(machine: Machine, call: Invocation) -> Value:
    """`@app.command()`: what it is called with next is registered."""
    maker = machine.new("<command maker>", call.mask)
    maker.facts["holder"] = call.receiver
    return Bound(External("dtlint.register_command"), None, (maker,))


def registered(call: Invocation) -> Value:
    maker, function = call.arguments[0], call.arguments[1] if len(call.arguments) > 1 else NONE
    holder = maker.facts.get("holder") if isinstance(maker, Object) else None
    if isinstance(holder, Object):
        holder.facts.setdefault(COMMANDS, []).append(function)
    return function


def chosen(machine: Machine, call: Invocation) -> Value | None:
    """`app()`: the only function that was registered. Of several commands each is a program of its own."""
    known = call.receiver.facts.get(COMMANDS, []) if isinstance(call.receiver, Object) else []
    return enter(machine, call, known[0]) if len(known) == 1 else None


def filled(machine: Machine, call: Invocation, kind: ClassRef) -> Value:
    """An instance whose fields are what they are by default; a switch may be given either way."""
    from dtlint.machine.functions import instances

    made = instances.instantiate(machine, kind, (), (), call.mask)
    if isinstance(made, Object):
        for name in instances.field_names(machine, kind):
            default = made.attributes.get(name) or kind.attributes.get(name)
            if isinstance(default, Const) and (default.value is None or isinstance(default.value, bool)):
                machine.set(made, name, machine.unknown("option", kind.name, name), call.mask)
    return made


MODELS: dict[str, Any] = {"command_line": run, "command_of": command_of, "command_chosen": chosen}
