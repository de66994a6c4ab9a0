"""What else is watched while a rank runs: optimizer steps, executed lines, and one failure on demand."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType
from typing import Any

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

    def _in_body(self, frame: FrameType | None) -> bool:
        while frame is not None and frame is not self.body:
            frame = frame.f_back
        return frame is not None and self.first <= frame.f_lineno <= self.last

    def _fail(self, frame: FrameType) -> None:
        self.armed, self.body = False, None
        self.recorder.tell({"type": "fact", "fact": {"failed": True}})
        raise failure_for(self.target, frame)


CALLS_BEFORE_SIGNAL = 5


def send_signal(name: str, recorder: Recorder) -> None:
    """This rank receives a signal once it has made a few calls, joining the job among them."""
    number = getattr(signal, name, None)

    def after_call(_: FrameType | None) -> None:
        if number is not None and recorder.number >= CALLS_BEFORE_SIGNAL:
            recorder.after_call = None
            recorder.tell({"type": "fact", "fact": {"failed": True}})
            signal.raise_signal(number)

    recorder.after_call = after_call


class Slowness:
    """The first to come to a line waits there until no other rank can go on, or has ended."""

    def __init__(self, place: dict[str, Any], recorder: Recorder) -> None:
        self.path, self.number = os.path.realpath(place["path"]), int(place["line"])
        self.recorder, self.armed = recorder, True

    def line(self, frame: FrameType, path: str) -> None:
        if self.armed and frame.f_lineno == self.number and path == self.path:
            self.armed = False
            self.recorder.pause()


def watch_lines(job: dict[str, Any], recorder: Recorder) -> dict[str, set[int]]:
    """Note the executed lines of the files in `cover`; make one rank fail as `inject` says."""
    wanted = {os.path.realpath(path) for path in job.get("cover", ())}
    target = job.get("inject")
    target = target if target and int(target["rank"]) == recorder.rank else None
    listener: OneFailure | Slowness | None = None
    if target and "signal" in target:
        send_signal(target["signal"], recorder)
    elif target:
        listener = OneFailure(target, recorder)
    elif job.get("slow"):
        listener = Slowness(job["slow"], recorder)
    if listener is not None:
        wanted.add(listener.path)
    if not wanted:
        return {}
    seen: dict[str, set[int]] = {}
    known: dict[str, str] = {}

    def line(frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            path = known[frame.f_code.co_filename]
            seen[path].add(frame.f_lineno)
            if listener is not None:
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
