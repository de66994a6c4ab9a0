"""What did the managers of torchft say, and did the job listen? The same for torchft and for its stand-in.

Noted are optimizer steps on what a manager has reduced without being asked whether that went well. On demand a commit
is refused, as it would be after the loss of a member: who then writes to parameters all the same?
"""

from __future__ import annotations

import functools
import gc
import os
import sys
from types import FrameType
from typing import Any

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook
from torch.utils._python_dispatch import TorchDispatchMode

from dtlint.trace.frames import Line, line_of
from dtlint.trace.importing import when_there

REDUCING = ("allreduce", "broadcast_one")


class Managers:
    def __init__(self, job: dict[str, Any]) -> None:
        self.lenient = {(os.path.realpath(path), int(line)) for path, line in job.get("lenient") or ()}
        refuse = job.get("refuse")
        self.refuse = (os.path.realpath(refuse["path"]), int(refuse["line"])) if refuse else None
        self.reduced: dict[int, Line] = {}  # manager → where it last reduced and was not asked afterwards
        self.unasked: set[tuple[Line, Line]] = set()  # step, reduction
        self.after_refusal: Writing | None = None

    def install(self) -> None:
        when_there("torchft", "Manager", lambda module: self._listen(module.Manager))

    def _listen(self, manager: Any) -> None:
        for name in REDUCING:
            if hasattr(manager, name):
                setattr(manager, name, self._reducing(getattr(manager, name)))
        if hasattr(manager, "_need_quorum"):
            manager._need_quorum = self._let_through(manager._need_quorum)
        manager.should_commit = self._asked(manager.should_commit)
        register_optimizer_step_post_hook(self._stepped)

    def _reducing(self, original: Any) -> Any:
        @functools.wraps(original)
        def reduce(manager: Any, *args: Any, **keywords: Any) -> Any:
            self._next_call()
            work = original(manager, *args, **keywords)
            if line := line_of(sys._getframe(1)):
                self.reduced[id(manager)] = line
            return work

        return reduce

    def _let_through(self, original: Any) -> Any:
        def need_quorum(manager: Any) -> None:
            if line_of(sys._getframe(1)) not in self.lenient:
                original(manager)

        return need_quorum

    def _asked(self, original: Any) -> Any:
        @functools.wraps(original)
        def should_commit(manager: Any, *args: Any, **keywords: Any) -> Any:
            self.reduced.pop(id(manager), None)
            self._next_call()
            answer = original(manager, *args, **keywords)
            if self.refuse is None or self.after_refusal is not None or line_of(sys._getframe(1)) != self.refuse:
                return answer
            self.after_refusal = Writing(sys._getframe(1))
            self.after_refusal.__enter__()  # for good: it listens while its caller runs and makes no other call
            return False

        return should_commit

    def _next_call(self) -> None:
        """A step of its own begins."""
        if self.after_refusal is not None:
            self.after_refusal.caller = None

    def _stepped(self, *_: Any) -> None:
        if self.reduced and (line := line_of(sys._getframe(1))):
            self.unasked |= {(line, reduction) for reduction in self.reduced.values()}

    def fact(self, rank: int) -> dict[str, Any]:
        unasked = [{"path": step[0], "line": step[1], "reduced": list(reduced)} for step, reduced in self.unasked]
        written = list(self.after_refusal.written or ()) if self.after_refusal is not None else []
        refused = self.after_refusal is not None
        return {"kind": "commits", "rank": rank, "unasked": unasked, "refused": refused, "written": written}


class Writing(TorchDispatchMode):
    """Listens for the first write to a parameter, as long as one function runs."""

    def __init__(self, caller: FrameType) -> None:
        super().__init__()
        self.caller: FrameType | None = caller
        self.written: Line | None = None
        # whoever is asked has no list of the parameters
        found = (item for item in gc.get_objects() if type(item) is torch.nn.Parameter)
        self.storages = {item.untyped_storage().data_ptr() for item in found}

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = function(*args, **(kwargs or {}))
        if self.caller is not None and self.written is None and function._schema.is_mutable:
            if not self._still_runs():
                self.caller = None
            elif any(item.untyped_storage().data_ptr() in self.storages for item in _written(function, args)):
                self.written = line_of(sys._getframe(1))
        return result

    def _still_runs(self) -> bool:
        frame: FrameType | None = sys._getframe(2)
        while frame is not None and frame is not self.caller:
            frame = frame.f_back
        return frame is not None


def _written(function: Any, args: Any) -> list[torch.Tensor]:
    found: list[torch.Tensor] = []
    for argument, given in zip(function._schema.arguments, args, strict=False):
        if argument.alias_info is not None and argument.alias_info.is_write:
            found += [item for item in (given if isinstance(given, list) else [given]) if type(item) is not None]
    return [item for item in found if isinstance(item, torch.Tensor)]
