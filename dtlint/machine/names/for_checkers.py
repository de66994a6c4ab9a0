"""What do modules import below `if TYPE_CHECKING:` only?

Type checkers are told there what a package offers that loads its modules when they are asked for.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.ir import nodes as ir
from dtlint.machine.core import Machine

CHECKING = "TYPE_CHECKING"


def absolute(machine: Machine, path: str) -> dict[str, str]:
    """Names and what they stand for, as far as they come from elsewhere than this package."""
    known: dict[str, dict[str, str]] = machine.notes.setdefault("types for checkers", {})
    if path not in known:
        known[path] = {
            alias or name: f"{line.module}.{name}"
            for line in imports(machine, path)
            if isinstance(line, ir.ImportFrom) and not line.level
            for name, alias in line.names
        }
        for line in imports(machine, path):
            for name, alias in line.names if isinstance(line, ir.Import) else ():
                first = name.partition(".")[0]
                known[path][alias or first] = name if alias else first
    return known[path]


def offered(machine: Machine, path: str, asked: str) -> tuple[str, str] | None:
    """The module and the name there, of what a module offers under this one."""
    known: dict[str, dict[str, tuple[str, str]]] = machine.notes.setdefault("offered later", {})
    if path not in known:
        known[path] = {
            alias or name: (dotted, name)
            for line in imports(machine, path)
            if isinstance(line, ir.ImportFrom)
            if (dotted := machine.project.resolve(path, line.module, line.level)) is not None
            for name, alias in line.names
        }
    return known[path].get(asked)


def imports(machine: Machine, path: str) -> Iterator[ir.Import | ir.ImportFrom]:
    module = machine.project.tree(path)
    for statement in module.body if module is not None else ():
        if isinstance(statement, ir.If):
            yield from (line for line in for_checkers(statement) if isinstance(line, ir.Import | ir.ImportFrom))


def for_checkers(asked: ir.If) -> tuple[ir.Stmt, ...]:
    """The side that a type checker reads."""
    test, side = asked.test, asked.body
    if isinstance(test, ir.Unary) and test.op == "not":
        test, side = test.value, asked.orelse
    named = getattr(test, "id", getattr(test, "name", ""))
    return side if named == CHECKING else ()
