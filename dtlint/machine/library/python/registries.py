"""What has a program entered into a registry of a library, and what comes out under a name?

`@TRAINERS.register()` above a class, and `TRAINERS.get(config.trainer)` or `HOOKS.build(config.hook)` far away.
"""

from __future__ import annotations

from typing import Any

from dtlint.machine.contents.dictionaries import entries, same_by_intent
from dtlint.machine.core import Machine
from dtlint.machine.functions import one_of_several
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.python import by_settings
from dtlint.machine.values import Bound, ClassRef, Const, External, FunctionRef, Object, Unknown, Value

ENTERED = "entered"  # fact of a registry: name → class or function


def register(machine: Machine, call: Invocation) -> Value | None:
    """`REGISTRY.register(Class)`, `@REGISTRY.register()` and `@REGISTRY.register("name")`"""
    if not isinstance(call.receiver, Object):
        return None
    maker = next((value for value in call.values if isinstance(value, ClassRef | FunctionRef)), None)
    name = call.get("name") or next((one for one in call.arguments if isinstance(one, Const)), Const(None))
    if maker is not None:
        return enter(call.receiver, name, maker)
    return Bound(External("dtlint.enter"), None, (call.receiver, name))


def entered(machine: Machine, call: Invocation) -> Value | None:
    """The decorator is called with what stands below it."""
    match call.arguments:
        case (Object() as registry, name, maker):
            return enter(registry, name, maker)
    return None


def enter(registry: Object, name: Value, maker: Value) -> Value:
    written = name.value if isinstance(name, Const) and isinstance(name.value, str) else None
    own = maker.node.name if isinstance(maker, ClassRef | FunctionRef) else None
    registry.facts.setdefault(ENTERED, {})[written or own] = maker
    return maker


def all_entered(call: Invocation) -> dict[str | None, Value]:
    found: dict[str | None, Value] = call.receiver.facts.get(ENTERED, {}) if isinstance(call.receiver, Object) else {}
    return found


def looked_up(machine: Machine, call: Invocation) -> Value | None:
    """`REGISTRY.get(config.name)`"""
    name, known = call.get("name"), all_entered(call)
    if isinstance(name, Const):
        return known.get(name.value)
    if not known or not isinstance(name, Unknown) or not same_by_intent(name):
        return None
    said = by_settings.spoken(machine, name, known.__contains__)
    return one_of_several.only_one(machine, [known[one] for one in said or known])


def built(machine: Machine, call: Invocation) -> Value | None:
    """`REGISTRY.build(dict(type="Name", width=3))`: the other keys are what it is made with."""
    from dtlint.machine.functions import calls

    config, known = call.get("cfg"), all_entered(call)
    given: list[tuple[str | None, Value]] = [(name, value) for name, value in call.keywords if name != "cfg"]
    if isinstance(config, Object) and config.kind == "dict":
        held = dict(entries(config))
        named = held.pop(str(call.row.extra["key"]), None)
        maker = known.get(named.value) if isinstance(named, Const) else named
        given += [(name, value) for name, value in held.items() if isinstance(name, str)]
    elif isinstance(config, Unknown) and same_by_intent(config) and known:
        maker = one_of_several.only_one(machine, list(known.values()))
        given.append((None, machine.unknown("settings", config.symbol)))
    else:
        return None
    if not isinstance(maker, ClassRef | FunctionRef | Bound):
        return None
    return calls.call_value(machine, maker, call.arguments[1:], tuple(given), call.mask, call.node)


MODELS: dict[str, Any] = {"register_in": register, "registered_as": looked_up, "built_by_registry": built}
