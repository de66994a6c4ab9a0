"""Which ways are there? Each is a function of a module beside this one, with all of the module that it needs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
CARRIED, DECIDED, ANYWAY = "carried", "decided", "anyway"


@dataclass(frozen=True, slots=True)
class Way:
    """`name` is unique; `function` is what it is called in its module."""

    kind: str
    module: str
    function: str
    imports: tuple[str, ...]
    definitions: tuple[str, ...]  # what the function needs, in the order of the module
    names: frozenset[str]  # that these define
    parameters: tuple[str, ...]
    body: tuple[str, ...]  # the function's statements, not indented
    answer: str  # what it returns in the end, if it returns nowhere else

    @property
    def name(self) -> str:
        return f"{self.kind}_{self.module}_{self.function}"

    @property
    def whole(self) -> str:
        lines = "\n".join(self.body) + (f"\nreturn {self.answer}" if self.answer else "")
        return f"def {self.function}({', '.join(self.parameters)}):\n{indented(lines)}"


@cache
def ways(kind: str) -> tuple[Way, ...]:
    """In the order of modules and lines."""
    return tuple(
        way
        for path in sorted((FOLDER / kind).glob("[a-z]*.py"))
        for way in of_module(kind, path.stem, ast.parse(path.read_text(encoding="utf-8")))
    )


def of_module(kind: str, name: str, module: ast.Module) -> Iterator[Way]:
    parameters = ("given", "other") if kind == CARRIED else ("given", "call")
    imported = [one for one in module.body if isinstance(one, ast.Import | ast.ImportFrom)]
    defined = [one for one in module.body if not isinstance(one, ast.Import | ast.ImportFrom | ast.Expr)]
    for one in defined:
        if isinstance(one, ast.FunctionDef) and tuple(each.arg for each in one.args.args) == parameters:
            needed = needed_by(one, defined)
            used = set().union(*(named(each) for each in (one, *needed)))
            *body, last = one.body
            returns = [each for each in ast.walk(one) if isinstance(each, ast.Return)]
            ends = isinstance(last, ast.Return) and last.value is not None and own_returns(one) == 1
            del returns
            yield Way(
                kind,
                name,
                one.name,
                tuple(text for each in imported for text in imports_of(each, used)),
                tuple(ast.unparse(each) for each in needed),
                frozenset(text for each in (one, *needed) for text in names_of(each)),
                parameters,
                tuple(ast.unparse(each) for each in (body if ends else one.body)),
                ast.unparse(last.value) if ends else "",  # type: ignore[attr-defined]
            )


def own_returns(function: ast.FunctionDef) -> int:
    """Returns of the function itself, not of those that are written in it."""
    count, left = 0, list[ast.AST](function.body)
    while left:
        one = left.pop()
        count += isinstance(one, ast.Return)
        if not isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            left += ast.iter_child_nodes(one)
    return count


def needed_by(function: ast.FunctionDef, defined: list[ast.stmt]) -> list[ast.stmt]:
    """What it names, what that names, and who registers with one of these: as a subclass or by a decorator."""
    needed: list[ast.stmt] = [function]
    while True:
        used = set().union(*(named(one) for one in needed))
        known = {text for one in needed for text in names_of(one)}
        more = [
            one
            for one in defined
            if one not in needed and (used & set(names_of(one)) or registers(one) & known)
        ]
        if not more:
            return [one for one in defined if one in needed and one is not function]
        needed += more


def registers(one: ast.stmt) -> set[str]:
    if isinstance(one, ast.ClassDef):
        return set().union(*(named(each) for each in one.bases)) if one.bases else set()
    if isinstance(one, ast.FunctionDef):
        return set().union(*(named(each) for each in one.decorator_list)) if one.decorator_list else set()
    return set()


def named(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)} | {
        one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str)
    }


def names_of(one: ast.stmt) -> Iterator[str]:
    if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield one.name
    elif isinstance(one, ast.Assign):
        yield from (target.id for target in one.targets if isinstance(target, ast.Name))


def imports_of(one: ast.Import | ast.ImportFrom, used: set[str]) -> Iterator[str]:
    for alias in one.names:
        if (alias.asname or alias.name.partition(".")[0]) in used:
            head = f"from {one.module} import " if isinstance(one, ast.ImportFrom) else "import "
            yield head + alias.name + (f" as {alias.asname}" if alias.asname else "")


def indented(text: str) -> str:
    return "\n".join("    " + line if line else line for line in text.splitlines())
