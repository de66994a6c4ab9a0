"""Which functions has a file that is not analysed, and which words stand in them? `ast` says it in a tenth of the time.

It says the same as the lowered tree would: what is passed over when the program is run is found by these words.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from sys import intern
from typing import Any

from dtlint.ir.literals import is_word

Function = tuple[str, frozenset[str], "str | None"]  # its name, the words in it, the class it is in

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_TRIES = (ast.Try, *(getattr(ast, name) for name in ("TryStar",) if hasattr(ast, name)))
# per type of node, the fields that hold one word
_WORDS: dict[type, str] = {
    ast.Name: "id",
    ast.Attribute: "attr",
    ast.keyword: "arg",
    ast.arg: "arg",
    ast.FunctionDef: "name",
    ast.AsyncFunctionDef: "name",
    ast.ClassDef: "name",
    ast.ExceptHandler: "name",
    ast.MatchAs: "name",
    ast.MatchStar: "name",
    ast.MatchMapping: "rest",
}
_LISTS: dict[type, str] = {ast.Global: "names", ast.Nonlocal: "names", ast.MatchClass: "kwd_attrs"}
_TEXTS = tuple(getattr(ast, name) for name in ("JoinedStr", "TemplateStr") if hasattr(ast, name))
_TYPE_PARAMETERS = "type_params"  # evaluated when somebody asks; the lowering does not descend into them either


def functions_in(tree: ast.Module) -> list[Function]:
    """Top-level functions and methods as `functions_of` finds them, then what `tables_of` and `aliases_of` do."""
    return [*_functions(tree.body, None), *_tables(tree), *_aliases(tree)]


def _functions(body: list[ast.stmt], owner: str | None) -> Iterator[Function]:
    for statement in body:
        if isinstance(statement, _FUNCTIONS):
            yield statement.name, frozenset(_words(statement)), owner
        elif isinstance(statement, ast.ClassDef):
            yield from _functions(statement.body, statement.name)
        elif isinstance(statement, ast.If):
            yield from _functions([*statement.body, *statement.orelse], owner)
        elif isinstance(statement, _TRIES):
            yield from _functions(statement.body, owner)
            for handler in statement.handlers:
                yield from _functions(handler.body, owner)


def _tables(tree: ast.Module) -> Iterator[Function]:
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Dict):
            found = (node for node in ast.walk(statement.value) if isinstance(node, ast.Name | ast.Attribute))
            words = frozenset(node.id if isinstance(node, ast.Name) else node.attr for node in found)
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    yield target.id, words, None


def _aliases(tree: ast.Module) -> Iterator[Function]:
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom):
            for one in statement.names:
                if one.asname is not None and one.asname != one.name:
                    yield one.asname, frozenset((one.name,)), None


def _words(function: ast.AST) -> Iterator[str]:
    todo: list[Any] = [function]
    while todo:
        node = todo.pop()
        kind = node.__class__
        if kind in _WORDS:
            word = getattr(node, _WORDS[kind])
            if word is not None:
                yield intern(word)
        elif kind in _LISTS:
            yield from getattr(node, _LISTS[kind])
        elif kind is ast.alias:
            yield from _imported(node)
        elif kind is ast.ImportFrom and node.module:
            yield from node.module.split(".")
        elif kind is ast.Constant and is_word(node.value):
            yield intern(node.value)
        for name, value in node.__dict__.items():
            if value.__class__ is list:
                if kind in _TEXTS:  # only what is filled into it
                    todo.extend(item for item in value if not isinstance(item, ast.Constant))
                elif name != _TYPE_PARAMETERS:
                    todo.extend(item for item in value if isinstance(item, ast.AST))
            elif isinstance(value, ast.AST):
                todo.append(value)


def _imported(alias: ast.alias) -> Iterator[str]:
    if alias.name != "*":
        yield from alias.name.split(".")
    if alias.asname is not None:
        yield alias.asname
