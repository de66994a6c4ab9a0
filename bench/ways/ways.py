"""Which ways are there? Each is a function in a module below, with all of the module that it needs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
PARAMETERS = {"carried": ("given", "other"), "decided": ("given", "call"), "anyway": ("given", "call")}  # by kind
OTHER_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


@dataclass(frozen=True, slots=True)
class Way:
    kind: str
    module: str
    function: str
    imports: tuple[str, ...]
    definitions: tuple[str, ...]  # what the function needs, in the order of the module
    names: frozenset[str]  # that these and the function define
    body: tuple[str, ...]  # its statements
    answer: str  # what it returns in the end, if it returns nowhere else

    @property
    def name(self) -> str:
        return f"{self.kind}_{self.module}_{self.function}"

    @property
    def leaves(self) -> bool:
        """Does it return before its end? Then it has to stay a function."""
        return not self.answer and any(own_returns(ast.parse(line)) for line in self.body)


@cache
def ways(kind: str) -> tuple[Way, ...]:
    """In the order of modules and lines."""
    return tuple(
        way
        for path in sorted((FOLDER / kind).glob("[a-z]*.py"))
        for way in of_module(kind, path.stem, ast.parse(path.read_text(encoding="utf-8")))
    )


def of_module(kind: str, name: str, module: ast.Module) -> Iterator[Way]:
    defined = [one for one in module.body if not isinstance(one, ast.Import | ast.ImportFrom | ast.Expr)]
    for one in defined:
        if isinstance(one, ast.FunctionDef) and tuple(each.arg for each in one.args.args) == PARAMETERS[kind]:
            needed = needed_by(one, defined)
            used = set().union(*(named_in(each) for each in (one, *needed)))
            last = one.body[-1]
            ends = isinstance(last, ast.Return) and last.value is not None and own_returns(one) == 1
            yield Way(
                kind,
                name,
                one.name,
                tuple(text for each in module.body for text in imports_of(each, used)),
                tuple(ast.unparse(each) for each in needed),
                frozenset(text for each in (one, *needed) for text in names_of(each)),
                tuple(ast.unparse(each) for each in (one.body[:-1] if ends else one.body)),
                ast.unparse(last.value) if ends else "",  # type: ignore[attr-defined]
            )


def own_returns(tree: ast.AST) -> int:
    """Returns of the function itself, not of those that are written in it."""
    inner = [one for one in ast.iter_child_nodes(tree) if not isinstance(one, OTHER_SCOPES)]
    return isinstance(tree, ast.Return) + sum(map(own_returns, inner))


def needed_by(function: ast.FunctionDef, defined: list[ast.stmt]) -> list[ast.stmt]:
    """What it names, what that names, and who registers with one of these: as a subclass or by a decorator."""
    needed: list[ast.stmt] = [function]
    decorators = {text for one in defined for each in getattr(one, "decorator_list", ()) for text in named_in(each)}
    while True:
        used = set().union(*(named_in(one) for one in needed))
        known = {text for one in needed for text in names_of(one)}
        rest = (one for one in defined if one not in needed)
        more = [one for one in rest if used & set(names_of(one)) or known & set(registers_with(one, decorators))]
        if not more:
            return [one for one in defined if one in needed and one is not function]
        needed += more


def registers_with(one: ast.stmt, decorators: set[str]) -> Iterator[str]:
    if isinstance(one, ast.FunctionDef) and one.name in decorators:  # it may keep what it decorates in a table
        yield from named_in(one)
    if isinstance(one, ast.ClassDef | ast.FunctionDef):
        bases = [*one.bases, *(each.value for each in one.keywords)] if isinstance(one, ast.ClassDef) else []
        for each in [*bases, *one.decorator_list]:
            yield from named_in(each)


def named_in(node: ast.AST) -> set[str]:
    """Names, and texts that may be some."""
    inside = list(ast.walk(node))
    texts = {one.value for one in inside if isinstance(one, ast.Constant) and isinstance(one.value, str)}
    return {one.id for one in inside if isinstance(one, ast.Name)} | texts


def names_of(one: ast.stmt) -> Iterator[str]:
    if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield one.name
    elif isinstance(one, ast.Assign):
        yield from (target.id for target in one.targets if isinstance(target, ast.Name))


def imports_of(one: ast.stmt, used: set[str]) -> Iterator[str]:
    if not isinstance(one, ast.Import | ast.ImportFrom):
        return
    head = f"from {one.module} import " if isinstance(one, ast.ImportFrom) else "import "
    yield from (head + alias.name for alias in one.names if alias.name.partition(".")[0] in used)
