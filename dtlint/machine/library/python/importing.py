"""Which module does a program import by its name, and which ones may be meant where a part of the name is an option?"""

from __future__ import annotations

from dtlint.machine.core import Machine
from dtlint.machine.lanes import FUNCTIONS, token
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.python.reflection import pattern_of
from dtlint.machine.values import Const, ModuleRef, Unknown, Value

MODULES = "imported by name"  # note: symbol → the modules it may be


def import_module(machine: Machine, call: Invocation) -> Value | None:
    """`importlib.import_module("tools.export")`, `import_module(f"tasks.{options.task}")`."""
    from dtlint.machine.names import scopes

    name = call.arguments[0] if call.arguments else None
    if isinstance(name, Const) and isinstance(name.value, str) and not name.value.startswith("."):
        return scopes.module_value(machine, name.value, 0)
    pattern = pattern_of(name.symbol) if isinstance(name, Unknown) and name.cause is None else None
    if pattern is None:
        return None
    named = [scopes.find_module(machine, dotted) for dotted in machine.project.named(pattern)]
    meant = sorted((one for one in named if one is not None), key=lambda one: not says_much(machine, one))
    found = machine.unknown("module", token(name))  # type: ignore[arg-type]
    machine.notes.setdefault(MODULES, {})[found.symbol] = tuple(meant[:FUNCTIONS])
    return found


def says_much(machine: Machine, module: ModuleRef) -> bool:
    """Do functions in it reach what rules ask for?"""
    functions = machine.project.functions(module.path) if module.path is not None else ()
    return any(not tokens.isdisjoint(machine.meaningful) for _, tokens, _ in functions)
