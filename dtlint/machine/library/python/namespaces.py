"""What is found by its name in what a module holds: `globals()[config.kind]`, `models.__dict__[name]`, `eval(name)`?"""

from __future__ import annotations

from typing import Any

from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.python import reflection
from dtlint.machine.names import scopes
from dtlint.machine.values import ClassRef, Const, External, FunctionRef, ModuleRef, Object, Value

OF = "namespace of"  # fact of a dictionary: the module whose names these are
LOADED = "sys.modules"


def of(machine: Machine, module: ModuleRef, mask: int) -> Object | None:
    """The classes and functions of a module under their names, beside things that nobody looks for by a name."""
    if module.path is None:
        return None
    made = machine.new("dict", mask)
    for name, held in scopes.load_module(machine, module.path).variables.items():
        if isinstance(held, ClassRef | FunctionRef):
            made.attributes["key", name] = held
    made.attributes["[]"] = machine.unknown("namespace", module.path)
    made.facts[OF] = module
    return made


def here(machine: Machine) -> ModuleRef:
    path = machine.frame.globals.path
    return ModuleRef(machine.project.name_of(path), path)


def of_this(machine: Machine, call: Invocation) -> Value | None:
    """`globals()`"""
    return of(machine, here(machine), call.mask)


def chosen(machine: Machine, space: Object, name: Value) -> Value | None:
    """`globals()[config.kind]`"""
    module = space.facts.get(OF)
    return reflection.some_class(machine, module, name) if isinstance(module, ModuleRef) else None


def evaluated(machine: Machine, call: Invocation) -> Value | None:
    """`eval(config.kind)`"""
    return reflection.some_class(machine, here(machine), call.arguments[0]) if len(call.arguments) == 1 else None


def loaded(machine: Machine, base: Value, index: Value) -> Value | None:
    """`sys.modules[__name__]`"""
    if not isinstance(base, External) or base.name != LOADED or not isinstance(index, Const):
        return None
    return here(machine) if index == machine.frame.globals.variables.get("__name__") else None


MODELS: dict[str, Any] = {"own_names": of_this, "evaluated": evaluated}
