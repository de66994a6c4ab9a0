"""What else is watched while a rank runs: optimizer steps, executed lines, and one failure on demand."""

from __future__ import annotations

import functools
import os
import signal
import sys
from collections.abc import Iterable
from types import FrameType
from typing import Any, Protocol

import torch
from torch.optim.optimizer import Optimizer, register_optimizer_step_post_hook

from dtlint.trace.torch.recorder import Recorder


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


class OneFailure:
    """Makes this rank fail once: where a body begins, or halfway through it, after its first call that communicates."""

    def __init__(self, target: dict[str, Any], recorder: Recorder) -> None:
        self.target, self.recorder = target, recorder
        self.path = os.path.realpath(target["path"])
        self.first, self.last = int(target["line"]), int(target.get("last") or target["line"])
        self.armed, self.halfway = True, bool(target.get("halfway"))
        self.body: FrameType | None = None
        self.calls = 0
        if self.halfway:
            recorder.after_call = self.after_call
            self._after_backward()

    def line(self, frame: FrameType, path: str) -> None:
        if not self.armed:
            return
        if frame.f_lineno == self.first and path == self.path:
            if not self.halfway:
                self._fail(frame)
            self.body, self.calls = frame, self.recorder.number
        else:
            self.after_call(frame)

    def after_call(self, frame: FrameType | None) -> None:
        if self.armed and frame is not None and self.recorder.number > self.calls and self._in_body(frame):
            self._fail(frame)

    def _after_backward(self) -> None:
        """Gradients are reduced inside a backward pass, by nobody's call."""
        original = torch.Tensor.backward

        @functools.wraps(original)
        def backward(*args: Any, **keywords: Any) -> Any:
            result = original(*args, **keywords)
            self.after_call(sys._getframe(1))
            return result

        torch.Tensor.backward = backward

    def _in_body(self, frame: FrameType | None) -> bool:
        while frame is not None and frame is not self.body:
            frame = frame.f_back
        return frame is not None and self.first <= frame.f_lineno <= self.last

    def _fail(self, frame: FrameType) -> None:
        self.armed, self.body = False, None
        self.recorder.tell({"type": "fact", "fact": {"failed": True}})
        raise failure_for(self.target, frame)


CALLS_BEFORE_SIGNAL = 5


class OneSignal:
    """This rank receives a signal once it has made a few calls, joining the job among them."""

    def __init__(self, name: str, path: str, recorder: Recorder) -> None:
        self.path, self.recorder = path, recorder
        self.number: int | None = getattr(signal, name, None)

    def line(self, frame: FrameType, path: str) -> None:
        number = self.number
        if number is not None and self.recorder.number >= CALLS_BEFORE_SIGNAL:
            self.number = None
            self.recorder.tell({"type": "fact", "fact": {"failed": True}})
            signal.raise_signal(number)


class Slowness:
    """The first to come to a line waits there until no other rank can go on, or has ended."""

    def __init__(self, place: dict[str, Any], recorder: Recorder) -> None:
        self.path, self.number = os.path.realpath(place["path"]), int(place["line"])
        self.recorder, self.armed = recorder, True

    def line(self, frame: FrameType, path: str) -> None:
        if self.armed and frame.f_lineno == self.number and path == self.path:
            self.armed = False
            self.recorder.pause()


class Listener(Protocol):
    """Hears of every line of the watched files before it is executed."""

    path: str

    def line(self, frame: FrameType, path: str) -> None: ...


def watch_lines(job: dict[str, Any], recorder: Recorder, more: Iterable[Listener]) -> dict[str, set[int]]:
    """Note the executed lines of the files in `cover`; make one rank fail as `inject` says."""
    wanted = {os.path.realpath(path) for path in job.get("cover", ())}
    target = job.get("inject")
    target = target if target and int(target["rank"]) == recorder.rank else None
    listeners: list[Listener] = [*more]
    if target and "signal" in target:
        listeners.append(OneSignal(target["signal"], os.path.realpath(job["script"]), recorder))
    elif target:
        listeners.append(OneFailure(target, recorder))
    elif job.get("slow"):
        listeners.append(Slowness(job["slow"], recorder))
    wanted.update(listener.path for listener in listeners)
    if not wanted:
        return {}
    seen: dict[str, set[int]] = {}
    known: dict[str, str] = {}

    def line(frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            path = known[frame.f_code.co_filename]
            seen[path].add(frame.f_lineno)
            for listener in listeners:
                listener.line(frame, path)
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
