"""Where do the nodes of a file stand?

libcst trees carry no positions and its own provider costs more than the parse. The same text parsed with `ast`
knows them all: statements, calls, … of one kind come in the same order in both trees, so a list per kind, in
source order, is enough. What stands inside an f-string is left out (`ast` places it wrongly before Python 3.12).
"""

from __future__ import annotations

import ast
import re
import warnings
from operator import itemgetter
from typing import Any

import libcst
from libcst.metadata import MetadataWrapper, PositionProvider

from dtlint.ir.stack import DEPTH_LIMIT

Place = tuple[int, int, int, int]

KINDS = ("statements", "calls", "conditionals", "lambdas", "comprehensions", "yields", "strings", "cases")


class TooDeep(Exception):
    """The code nests deeper than anything meant to be read."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


class Positions:
    """Places of each kind in source order; `call_names` says what each call calls, to check the pairing."""

    __slots__ = (*KINDS, "call_names")

    def __init__(self) -> None:
        self.statements: list[Place] = []
        self.calls: list[Place] = []
        self.conditionals: list[Place] = []
        self.lambdas: list[Place] = []
        self.comprehensions: list[Place] = []
        self.yields: list[Place] = []
        self.strings: list[Place] = []
        self.cases: list[Place] = []
        self.call_names: list[str] = []


def parse_ast(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


# --- from `ast` --------------------------------------------------------------------------------------------------

_STRINGS = tuple(getattr(ast, name) for name in ("JoinedStr", "TemplateStr") if hasattr(ast, name))
_LISTS: dict[type, str] = {
    ast.IfExp: "conditionals",
    ast.Lambda: "lambdas",
    ast.ListComp: "comprehensions",
    ast.SetComp: "comprehensions",
    ast.DictComp: "comprehensions",
    ast.GeneratorExp: "comprehensions",
    ast.Yield: "yields",
    ast.YieldFrom: "yields",
    **dict.fromkeys(_STRINGS, "strings"),
}
_CASE = re.compile(r"\s*case\b")


def _every(base: type) -> set[type]:
    below: list[type] = base.__subclasses__()
    return {base}.union(*(_every(kind) for kind in below))


# Without children that matter. Type parameters are evaluated lazily; neither tree descends into them.
_LEAVES: set[type] = {ast.Name, ast.Constant, ast.alias}.union(
    *(_every(base) for base in (ast.expr_context, ast.boolop, ast.operator, ast.unaryop, ast.cmpop)),
    *(_every(getattr(ast, name)) for name in ("type_param",) if hasattr(ast, name)),
)
_STATEMENTS: set[type] = _every(ast.stmt) | {ast.ExceptHandler}
_BRANCHES: set[type] = _every(ast.AST) - _LEAVES


def from_ast(tree: ast.Module, text: str) -> Positions:
    """Raises `TooDeep`."""
    statements: list[Place] = []
    calls: list[tuple[Any, ...]] = []
    others: dict[str, list[Place]] = {name: [] for name in _LISTS.values()}
    lists: dict[type, list[Place]] = {kind: others[name] for kind, name in _LISTS.items()}
    matches: list[ast.Match] = []
    branches, statement_kinds, strings = _BRANCHES, _STATEMENTS, _STRINGS
    call_kind, match_kind = ast.Call, ast.Match

    def walk(node: Any, depth: int) -> None:
        kind = node.__class__
        if kind in statement_kinds:
            statements.append((node.lineno, node.col_offset, node.end_lineno, node.end_col_offset))
            if kind is match_kind:
                matches.append(node)
        elif kind is call_kind:
            func = node.func
            name = func.id if func.__class__ is ast.Name else func.attr if func.__class__ is ast.Attribute else ""
            calls.append(
                (
                    func.end_lineno,
                    func.end_col_offset,
                    (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset),
                    name,
                )
            )
        elif kind in lists:
            lists[kind].append((node.lineno, node.col_offset, node.end_lineno, node.end_col_offset))
            if kind in strings:
                return
        if depth > DEPTH_LIMIT:
            raise TooDeep(getattr(node, "lineno", 1))
        depth += 1
        for value in node.__dict__.values():
            if value.__class__ is list:
                for item in value:
                    if item.__class__ in branches:
                        walk(item, depth)
            elif value.__class__ in branches:
                walk(value, depth)

    walk(tree, 0)
    statements.sort()
    calls.sort(key=itemgetter(0, 1))
    for places in others.values():
        places.sort()
    lines = text.split("\n") if not text.isascii() or matches else []
    positions = Positions()
    positions.statements = _in_code_points(statements, text, lines)
    positions.calls = _in_code_points([call[2] for call in calls], text, lines)
    positions.call_names = [call[3] for call in calls]
    for name, places in others.items():
        setattr(positions, name, _in_code_points(places, text, lines))
    positions.cases = _in_code_points(sorted(_cases(matches, lines)), text, lines)
    return positions


def _in_code_points(places: list[Place], text: str, lines: list[str]) -> list[Place]:
    """`ast` counts columns from 0 in UTF-8 bytes; everybody else here from 1 in code points."""
    if text.isascii():
        return [(line, column + 1, end, end_column + 1) for line, column, end, end_column in places]
    ascii_lines = [True, *(line.isascii() for line in lines)]

    def column_of(line: int, column: int) -> int:
        if ascii_lines[line]:
            return column + 1
        return len(lines[line - 1].encode("utf-8", "surrogatepass")[:column].decode("utf-8", "replace")) + 1

    return [
        (line, column_of(line, column), end, column_of(end, end_column)) for line, column, end, end_column in places
    ]


def _cases(matches: list[ast.Match], lines: list[str]) -> list[Place]:
    """`ast.match_case` has no place: its keyword opens the first `case` line after what stands before it."""
    found: list[Place] = []
    for match in matches:
        before = match.subject.end_lineno or match.lineno
        for case in match.cases:
            line = before + 1
            while line < len(lines) and not _CASE.match(lines[line - 1]):
                line += 1
            column = len(lines[line - 1]) - len(lines[line - 1].lstrip())  # indentation is ASCII
            last = case.body[-1]
            before = last.end_lineno or line
            found.append((line, column, before, last.end_col_offset or 0))
    return found


# --- from libcst -------------------------------------------------------------------------------------------------

_CST_NAMES = {
    "Call": "calls",
    "IfExp": "conditionals",
    "Lambda": "lambdas",
    "ListComp": "comprehensions",
    "SetComp": "comprehensions",
    "DictComp": "comprehensions",
    "StarredDictComp": "comprehensions",
    "GeneratorExp": "comprehensions",
    "Yield": "yields",
    "FormattedString": "strings",
    "TemplatedString": "strings",
    "MatchCase": "cases",
    "ExceptHandler": "statements",
    "ExceptStarHandler": "statements",
}
# By name: the newest syntax is not in every version of libcst.
_CST_LISTS: dict[type, str] = {
    getattr(libcst, name): kind for name, kind in _CST_NAMES.items() if hasattr(libcst, name)
}
_CST_STRINGS = tuple(kind for kind, name in _CST_LISTS.items() if name == "strings")


def from_libcst(module: libcst.Module) -> Positions:
    """The same lists, slowly but whatever the running interpreter's own grammar is."""
    ranges = MetadataWrapper(module, unsafe_skip_copy=True).resolve(PositionProvider)
    found: dict[str, list[tuple[Any, ...]]] = {name: [] for name in KINDS}

    def place(node: libcst.CSTNode) -> Place:
        where: Any = ranges[node]
        return (where.start.line, where.start.column + 1, where.end.line, where.end.column + 1)

    def walk(node: Any) -> None:
        name = _CST_LISTS.get(node.__class__)
        if name is None and isinstance(node, (libcst.BaseSmallStatement, libcst.BaseCompoundStatement)):
            name = "statements"
        if isinstance(node, libcst.ConcatenatedString) and has_values(node):
            name = "strings"
        if name == "calls":
            func = node.func
            end = ranges[func].end
            found[name].append((end.line, end.column, place(node), called_name(func)))
        elif node.__class__ is libcst.GeneratorExp and node.lpar:  # its own parentheses belong to it, says `ast`
            start, end = ranges[node.lpar[-1]].start, ranges[node.rpar[0]].end
            found["comprehensions"].append((start.line, start.column + 1, end.line, end.column + 1))
        elif name is not None:
            found[name].append(place(node))
        if name == "strings" or isinstance(node, libcst.TypeParameters):
            return
        for child in node.children:
            walk(child)

    walk(module)
    positions = Positions()
    for name, places in found.items():
        places.sort(key=itemgetter(0, 1))
        if name == "calls":
            positions.calls = [call[2] for call in places]
            positions.call_names = [call[3] for call in places]
        else:
            setattr(positions, name, places)
    return positions


def has_values(node: libcst.CSTNode) -> bool:
    """Is one of these adjacent strings an f-string or t-string?"""
    while isinstance(node, libcst.ConcatenatedString):
        if isinstance(node.left, _CST_STRINGS):
            return True
        node = node.right
    return isinstance(node, _CST_STRINGS)


def called_name(func: libcst.CSTNode) -> str:
    if isinstance(func, libcst.Name):
        return func.value
    if isinstance(func, libcst.Attribute):
        return func.attr.value
    return ""
