"""Run a script with a few of its statements changed: a decision turned round on one rank, or left out on all.

A decision that is turned round shows what happens when one rank decides otherwise. A statement that is left out lets a
run go on past a mistake that an earlier run has already shown: one program may have several. Only the standard
library: this runs inside the user's Python.
"""

from __future__ import annotations

import ast
import builtins
import importlib.machinery
import os
from collections.abc import Callable, Iterable
from typing import Any

DECIDE = "__dtlint_decide__"

Tell = Callable[[dict[str, Any]], None]


def install(job: dict[str, Any], rank: int, tell: Tell) -> None:
    """Modules that are loaded from now on are changed as the job says."""
    flip = job.get("flip")
    left_out = _by_path(job.get("without") or ())
    turned = _by_path([(flip["path"], flip["line"])] if flip else ())
    changed = left_out.keys() | turned.keys()
    if not changed:
        return
    state = {"armed": flip is not None and int(flip["rank"]) == rank}

    def decide(value: Any) -> bool:
        """The first time one rank gets there, the other way."""
        if not state["armed"]:
            return bool(value)
        state["armed"] = False
        tell({"type": "fact", "fact": {"flipped": True}})
        return not value

    setattr(builtins, DECIDE, decide)
    loader: Any = importlib.machinery.SourceFileLoader
    original, cached = loader.source_to_code, loader.get_code

    def source_to_code(self: Any, data: Any, path: Any, **keywords: Any) -> Any:
        real = os.path.realpath(path)
        if real in changed:
            change = Change(turned.get(real, frozenset()), left_out.get(real, frozenset()))
            return compile(change.visit(ast.parse(data)), path, "exec")
        return original(self, data, path, **keywords)

    def get_code(self: Any, name: str) -> Any:
        path = self.get_filename(name)
        if os.path.realpath(path) in changed:  # a stored compilation would not be changed
            return self.source_to_code(self.get_data(path), path)
        return cached(self, name)

    loader.source_to_code, loader.get_code = source_to_code, get_code


def compiled(script: str) -> Any:
    """The script as its loader would compile it."""
    with open(script, "rb") as file:
        return importlib.machinery.SourceFileLoader("__main__", script).source_to_code(file.read(), script)


def _by_path(places: Iterable[tuple[str, int]]) -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for path, line in places:
        found.setdefault(os.path.realpath(path), set()).add(int(line))
    return {path: frozenset(lines) for path, lines in found.items()}


class Change(ast.NodeTransformer):
    """`if` and `while` in the lines `turned` ask first; what begins in the lines `left_out` does nothing."""

    def __init__(self, turned: frozenset[int], left_out: frozenset[int]) -> None:
        self.turned, self.left_out = turned, left_out

    def visit(self, node: ast.AST) -> Any:
        self.generic_visit(node)
        if isinstance(node, (ast.If, ast.While)):
            if node.lineno in self.left_out:
                # asked as before, answered with no: what the question does besides still happens
                never = ast.BoolOp(ast.And(), [node.test, ast.Constant(False)])
                node.test = ast.fix_missing_locations(ast.copy_location(never, node.test))
            elif node.lineno in self.turned:
                asked = ast.Call(ast.Name(DECIDE, ast.Load()), [node.test], [])
                node.test = ast.fix_missing_locations(ast.copy_location(asked, node.test))
        elif isinstance(node, ast.Expr) and node.lineno in self.left_out:
            return ast.copy_location(ast.Pass(), node)
        return node
