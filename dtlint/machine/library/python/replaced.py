"""What is `state.replace(params=…)`, `state._replace(…)`, `dataclasses.replace(state, …)`? Other fields, same rest."""

from __future__ import annotations

from typing import Any

from dtlint.machine.contents import asked_for
from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.python import thrown_away
from dtlint.machine.names import classes
from dtlint.machine.values import ClassRef, Object, Value

METHODS = frozenset({"replace", "_replace"})


IN_PLACE = frozenset({"inplace", "target"})  # words of tables and paths, which do change something


def method(machine: Machine, receiver: Value, name: str, call: Invocation) -> Value | None:
    if name not in METHODS or call.arguments:
        return None
    if call.keywords and not any(word in IN_PLACE for word, _ in call.keywords):
        thrown_away.of_state(machine, call, "replace")
    return copied(machine, receiver, call)


def function(machine: Machine, call: Invocation) -> Value | None:
    return copied(machine, call.arguments[0], call) if len(call.arguments) == 1 else None


def copied(machine: Machine, value: Value, call: Invocation) -> Value | None:
    if not isinstance(value, Object) or not isinstance(value.kind, ClassRef):
        return None
    made = machine.anew(value, call.mask)
    for name, given in call.keywords:
        if name is None:
            any_of_them(machine, made, given)
        else:
            made.attributes[name] = given
    return made


def any_of_them(machine: Machine, made: Object, given: Value) -> None:
    """`**changes`: each field may be another one now, and the thing is still of its class; one that holds what the
    class says is as likely to be left as it is, unless it is off."""
    from dtlint.machine.functions import instances

    if isinstance(made.kind, ClassRef):
        for name in (one for one in instances.field_names(machine, made.kind) if one not in made.attributes):
            found = asked_for.perhaps(machine, classes.in_class(machine, made.kind, name), given, name)
            if found is not None:
                made.attributes[name] = found
    for name, held in made.attributes.items():
        tags = held.tags | given.tags
        made.attributes[name] = machine.unknown("replaced", token(given), name, cause=given.cause, tags=tags)


MODELS: dict[str, Any] = {"replaced": function}
