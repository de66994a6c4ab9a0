"""What else is watched while a rank runs: optimizer steps, executed lines, and one failure on demand."""

from __future__ import annotations

import os
import sys
from types import FrameType
from typing import Any

from torch.optim.optimizer import Optimizer, register_optimizer_step_post_hook


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


def watch_lines(job: dict[str, Any], rank: int) -> dict[str, set[int]]:
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
        error = kind(message)
    except Exception:
        error = RuntimeError(message)
    error.injected_by_dtlint = True
    return error
