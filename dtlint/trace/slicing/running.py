"""What does one function do on one rank along one path? Run it with stand-ins and return its log of collectives."""

from __future__ import annotations

import ast
import contextlib
import inspect
import os
import sys
import time
import types
from typing import Any

from dtlint.trace.slicing import stub
from dtlint.trace.slicing.loading import Loader, UserRaise
from dtlint.trace.slicing.stub import Oracle, Stub, known_value

LINE_LIMIT = 100_000
TIME_LIMIT = 2.0


class TooLong(BaseException):
    """The path was cut."""


def enclosing(path: str, line: int) -> tuple[list[str], int] | None:
    """Names of the classes and the function around a line, outermost function only: it calls the inner ones."""
    with open(path, "rb") as file:
        tree = ast.parse(file.read())

    def search(body: list[ast.stmt], names: list[str]) -> tuple[list[str], int] | None:
        for node in body:
            if not (node.lineno <= line <= (node.end_lineno or node.lineno)):
                continue
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                return [*names, node.name], node.lineno
            if isinstance(node, ast.ClassDef):
                return search(node.body, [*names, node.name])
        return None

    return search(tree.body, [])


def argument(name: str, parameter: inspect.Parameter) -> Any:
    known = known_value(name)
    if known is not None:
        return known
    if parameter.default is not inspect.Parameter.empty and parameter.default is not None:
        return parameter.default
    return Stub(name)


def instance(kind: type) -> Any:
    """An object of the class without running its constructor: what it lacks is unknown."""

    def missing(self: Any, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        known = known_value(name)
        value = known if known is not None else Stub(f"self.{name}")
        object.__setattr__(self, name, value)
        return value

    twin = type(kind.__name__, (kind,), {"__getattr__": missing})
    try:
        made: Any = object.__new__(twin)
    except TypeError:
        return Stub("self")
    # what the constructor says about the attributes is worth having, however far it gets
    with contextlib.suppress(Exception):
        construct: Any = getattr(kind, "__init__")  # noqa: B009  (an attribute access is unsound for mypy)
        parameters = list(inspect.signature(construct).parameters.items())[1:]
        ordinary = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        construct(made, *[argument(name, item) for name, item in parameters if item.kind in ordinary])
    stub.oracle.log.clear()
    return made


def target(module: types.ModuleType, names: list[str]) -> Any:
    """The function to call, with everything it needs but the ordinary arguments."""
    holder: Any = module
    for name in names[:-1]:
        holder = getattr(holder, name)
    found = inspect.getattr_static(holder, names[-1]) if isinstance(holder, type) else getattr(holder, names[-1])
    if isinstance(found, staticmethod):
        return found.__func__, []
    if isinstance(found, classmethod):
        return found.__func__, [holder]
    if isinstance(found, property):
        found = found.fget
    if isinstance(holder, type):
        return found, [instance(holder)]
    return found, []


def run_path(
    module: types.ModuleType, names: list[str], rank: int, forced: dict[str, bool], prefer: bool
) -> dict[str, Any]:
    stub.oracle = oracle = Oracle(rank, forced, prefer)
    lines: set[tuple[str, int]] = set()
    state = {"count": 0, "end": time.monotonic() + TIME_LIMIT}

    def trace(frame: Any, event: str, _: Any) -> Any:
        if frame.f_globals.get("__builtins__") is not module.__dict__["__builtins__"]:
            return None
        if event == "line":
            lines.add((frame.f_code.co_filename, frame.f_lineno))
            state["count"] += 1
            if state["count"] > LINE_LIMIT or time.monotonic() > state["end"]:
                raise TooLong
        return trace

    how, text = "ended", ""
    try:
        function, first = target(module, names)
        inner = inspect.unwrap(function) if callable(function) else function
        parameters = list(inspect.signature(inner).parameters.items())[len(first) :]
        ordinary = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        positional = [argument(name, item) for name, item in parameters if item.kind in ordinary]
        named = {name: argument(name, item) for name, item in parameters if item.kind is inspect.Parameter.KEYWORD_ONLY}
        sys.settrace(trace)
        outcome = function(*first, *positional, **named)
        if inspect.isgenerator(outcome):
            for _ in outcome:
                pass
        elif inspect.iscoroutine(outcome):
            with contextlib.suppress(StopIteration):
                outcome.send(None)
    except SystemExit:
        how = "left"
    except TooLong:
        how = "cut"
    except UserRaise as error:
        how, text = "raised", str(error)
    except BaseException as error:
        how, text = "error", f"{type(error).__name__}: {error}"[:200]
    finally:
        sys.settrace(None)
    executed: dict[str, list[int]] = {}
    for path, line in sorted(lines):
        executed.setdefault(path, []).append(line)
    return {"how": how, "text": text, "log": oracle.log, "asked": oracle.asked, "lines": executed}


def load(root: str, path: str, rank: int) -> types.ModuleType:
    stub.oracle = Oracle(rank, {})
    sys.dont_write_bytecode = True
    return Loader(root).load(os.path.realpath(path))
