"""Which files are something one runs, and what of such a file is run when it is only looked up?"""

from __future__ import annotations

from dtlint.ir import nodes as ir
from dtlint.machine.core import DEEPEST, Machine

# A script is followed as deep as it goes, but for helpers that do not communicate. A function that nobody calls is
# judged by what it and its helpers do: a bug further down has a nearer function of its own to show it.
FUNCTION_DEEPEST = 3
FUNCTION_NEAR = 2


def is_script(machine: Machine, path: str, module: ir.Module) -> bool:
    """Something one runs: a main guard, or a file outside any package that does something at its top level."""
    if "__main__" in module.tokens:
        return True
    folder = path.rpartition("/")[0]
    if (f"{folder}/__init__.py" if folder else "__init__.py") in machine.paths:
        return False
    for statement in module.body:
        if isinstance(statement, ir.If | ir.For | ir.While | ir.With | ir.Try):
            return True
        if isinstance(statement, ir.ExprStmt) and isinstance(statement.value, ir.Call | ir.Await):
            return True
        if isinstance(statement, ir.Assign) and isinstance(statement.value, ir.Call):
            return True
    return False


def as_module(machine: Machine, path: str, module: ir.Module) -> tuple[int, int]:
    """How deep calls of the body are followed when a file is loaded. A script that nobody imports is run as one, and
    asked here for what it binds: its training is not run twice."""
    if is_script(machine, path, module) and not machine.project.importers(path):
        return FUNCTION_DEEPEST, FUNCTION_NEAR
    return DEEPEST, DEEPEST  # whoever comes first: the bindings are for all
