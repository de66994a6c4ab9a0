"""Which module does a program import by its name, and which ones may be meant where a part of the name is an option?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.machine.core import Machine
from dtlint.machine.joining import FUNCTIONS
from dtlint.machine.lanes import token
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.python.reflection import pattern_of
from dtlint.machine.values import Const, External, ModuleRef, Tuple, Unknown, Value

MODULES = "imported by name"  # note: symbol → the modules it may be
WITH_CLASS = "modules with a class"  # note: its name → where it is defined
PACKAGE = "__init__.py"
ANY = None  # in their place: nobody knows a part of the name


def import_module(machine: Machine, call: Invocation) -> Value | None:
    """`importlib.import_module("tools.export")`, `import_module(f"tasks.{options.task}")`."""
    from dtlint.machine.names import scopes

    name = call.arguments[0] if call.arguments else None
    if isinstance(name, Const) and isinstance(name.value, str) and not name.value.startswith("."):
        return scopes.module_value(machine, name.value, 0)
    if not isinstance(name, Unknown) or name.cause is not None:
        return None
    found = machine.unknown("module", token(name))
    modules = machine.notes.setdefault(MODULES, {})
    package = package_on_its_way(machine)
    pattern = pattern_of(name.symbol)
    if pattern is None:
        modules[found.symbol] = ANY
        pattern = rf"{re.escape(package)}\.\w+" if package is not None and of_the_package(machine) else None
    if pattern is None:
        return found
    named = [scopes.find_module(machine, dotted) for dotted in machine.project.named(pattern)]
    meant = sorted((one for one in named if one is not None), key=lambda one: not says_much(machine, one))
    modules.setdefault(found.symbol, tuple(meant[:FUNCTIONS]))
    if package is not None:
        enter_themselves(machine, meant)
    return found


def package_on_its_way(machine: Machine) -> str | None:
    """The package whose `__init__` is being run: what it imports by names that nobody knows lies in its folder."""
    *_, outermost = machine.frame.and_callers()
    is_package = outermost.path.endswith(PACKAGE) and outermost.path in machine.loading
    return machine.project.name_of(outermost.path) if is_package else None


def of_the_package(machine: Machine) -> bool:
    """Does the package's own file import it? A helper elsewhere that is not told whose modules it imports may look for
    anything: whether a library is installed, say."""
    *_, outermost = machine.frame.and_callers()
    return machine.frame.path == outermost.path


def enter_themselves(machine: Machine, modules: Sequence[ModuleRef]) -> None:
    """All that lies in the folder is imported, for the classes to enter themselves into the registries of the package:
    they are there when it has been imported."""
    from dtlint.machine.names import scopes

    for module in modules:
        if module.path is not None and (module.path.endswith(PACKAGE) or says_much(machine, module)):
            scopes.load_module(machine, module.path)


def with_class(machine: Machine, name: str) -> tuple[ModuleRef, ...]:
    """The modules that define a class of this name: `import_module(options.file).Experiment`."""
    from dtlint.machine.names import scopes

    known: dict[str, tuple[ModuleRef, ...]] = machine.notes.setdefault(WITH_CLASS, {})
    paths = machine.project.mentioning(f"class {name}") if name[:1].isupper() else ()
    if name not in known:
        defining = [path for path in paths if any(is_class(one, name) for one in machine.project.tree(path).body)]
        found = (scopes.find_module(machine, machine.project.name_of(path)) for path in defining)
        known[name] = tuple(one for one in found if one is not None)
    return known[name]


def is_class(statement: ir.Stmt, name: str) -> bool:
    return isinstance(statement, ir.Class) and statement.name == name


def imported_if_there(machine: Machine, call: Invocation) -> Value | None:
    """`tqdm, has_tqdm = optional_import("tqdm", name="tqdm")`: what it imports, and whether it is installed."""
    module, name = call.get("module"), call.get("name")
    if not isinstance(module, Const) or not isinstance(module.value, str):
        return None
    named = [module.value, name.value] if isinstance(name, Const) and isinstance(name.value, str) else [module.value]
    found = External(machine.knowledge.canonical(".".join(filter(None, named))))
    return Tuple((found, machine.unknown("installed", module.value)))


def says_much(machine: Machine, module: ModuleRef) -> bool:
    """Do functions in it reach what rules ask for?"""
    from dtlint.machine.functions.following import leading_on

    if module.path is None:
        return False
    meaningful = leading_on(machine, module.path)[1]
    return any(not tokens.isdisjoint(meaningful) for _, tokens, _ in machine.project.functions(module.path))


MODELS: dict[str, Any] = {"imported_if_there": imported_if_there}
