"""What else is watched while a rank runs: optimizer steps, executed lines, and one failure on demand."""

from __future__ import annotations

import ast
import builtins
import importlib.machinery
import os
import sys
from types import FrameType
from typing import Any

from torch.optim.optimizer import Optimizer, register_optimizer_step_post_hook

DECIDE = "__dtlint_decide__"


class StepsDone(BaseException):
    """The rank has made as many optimizer steps as were asked for."""


class StepCounter:
    """Steps of the busiest optimizer: two optimizers of one model count once."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.made: dict[int, int] = {}

    @property
    def steps(self) -> int:
        return max(self.made.values(), default=0)

    def __call__(self, optimizer: Optimizer, *_: Any) -> None:
        self.made[id(optimizer)] = self.made.get(id(optimizer), 0) + 1
        if self.limit and self.steps >= self.limit:
            raise StepsDone


def count_steps(limit: int) -> StepCounter:
    counter = StepCounter(limit)
    register_optimizer_step_post_hook(counter)
    return counter


def watch_lines(job: dict[str, Any], rank: int, tell: Any) -> dict[str, set[int]]:
    """Note the executed lines of the files in `cover`; raise once at the line in `inject`."""
    wanted = {os.path.realpath(path) for path in job.get("cover", ())}
    failure = job.get("inject")
    armed = failure if failure and int(failure["rank"]) == rank else None
    if armed:
        wanted.add(os.path.realpath(armed["path"]))
    if not wanted:
        return {}
    seen: dict[str, set[int]] = {}
    known: dict[str, str] = {}
    state = {"armed": armed}

    def line(frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            path = known[frame.f_code.co_filename]
            seen[path].add(frame.f_lineno)
            target = state["armed"]
            if target and frame.f_lineno == int(target["line"]) and path == os.path.realpath(target["path"]):
                state["armed"] = None
                tell({"type": "fact", "fact": {"failed": True}})
                raise failure_for(target, frame)
        return line

    def call(frame: FrameType, _: str, __: Any) -> Any:
        name = frame.f_code.co_filename
        if name not in known:
            known[name] = os.path.realpath(name)
        if known[name] not in wanted:
            return None
        seen.setdefault(known[name], set()).add(frame.f_lineno)
        return line

    sys.settrace(call)
    return seen


def failure_for(target: dict[str, Any], frame: FrameType) -> BaseException:
    """An instance of the exception that the handler names, or a RuntimeError."""
    kind: Any = RuntimeError
    if target.get("exception"):
        try:
            kind = eval(target["exception"], frame.f_globals, frame.f_locals)
        except Exception:
            kind = RuntimeError
    if isinstance(kind, tuple):
        kind = kind[0]
    message = target.get("message", "CUDA out of memory (made to fail by dtlint)")
    try:
        error: BaseException = kind(message)
    except Exception:
        error = RuntimeError(message)
    return error


def flip_decision(job: dict[str, Any], rank: int, tell: Any) -> None:
    """Make the `if` or `while` at a line come out the other way, the first time one rank gets there."""
    flip = job.get("flip")
    if not flip:
        return
    wanted, line = os.path.realpath(flip["path"]), int(flip["line"])
    state = {"armed": int(flip["rank"]) == rank}

    def decide(value: Any) -> bool:
        if not state["armed"]:
            return bool(value)
        state["armed"] = False
        tell({"type": "fact", "fact": {"flipped": True}})
        return not value

    class Rewrite(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> Any:
            self.generic_visit(node)
            if isinstance(node, (ast.If, ast.While)) and node.lineno == line:
                name = ast.Name(DECIDE, ast.Load())
                node.test = ast.fix_missing_locations(ast.copy_location(ast.Call(name, [node.test], []), node.test))
            return node

    setattr(builtins, DECIDE, decide)
    loader: Any = importlib.machinery.SourceFileLoader
    original, cached = loader.source_to_code, loader.get_code

    def source_to_code(self: Any, data: Any, path: Any, **keywords: Any) -> Any:
        if os.path.realpath(path) == wanted:
            return compile(Rewrite().visit(ast.parse(data)), path, "exec")
        return original(self, data, path, **keywords)

    def get_code(self: Any, name: str) -> Any:
        path = self.get_filename(name)
        if os.path.realpath(path) == wanted:  # a stored compilation would not be rewritten
            return self.source_to_code(self.get_data(path), path)
        return cached(self, name)

    loader.source_to_code, loader.get_code = source_to_code, get_code


def compiled(script: str) -> Any:
    """The script as its loader would compile it."""
    with open(script, "rb") as file:
        return importlib.machinery.SourceFileLoader("__main__", script).source_to_code(file.read(), script)
