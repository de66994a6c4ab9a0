"""In which order did this rank do things, and what did it leave behind? Told at its end.

Environment variables set after the first call that needs them, gradients thrown away or reduced more often than they
are used, handles nobody waited for, threads that outlive a failure, a process group that is never destroyed.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from typing import Any

import torch
import torch.distributed as dist
from torch.optim.optimizer import Optimizer, register_optimizer_step_post_hook

from dtlint.trace.frames import Line, line_of
from dtlint.trace.outcome import parameters_without_gradient
from dtlint.trace.torch import group
from dtlint.trace.torch.recorder import Recorder


class Noted:
    """The notes of one rank, taken while its script runs."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.set: dict[tuple[Line, str], bool] = {}  # variable set at a line → whether ranks had communicated
        self.steps = 0
        self.inside = False  # a backward pass
        self.pending = 0  # backward passes whose gradients wait for a step
        self.mean_losses: Counter[Line] = Counter()  # backward passes of a mean loss as it is, by their line
        self.thrown: Counter[Line] = Counter()  # backward passes cleared unused, by the line that cleared
        self.unreduced = ""  # the parameters DDP waited for in vain, also where the program went on after that
        self.reductions: Counter[Line] = Counter()  # backward passes that reduced, by their line

    def install(self) -> None:
        self._environment()
        self._backward_passes()
        self._clearing()
        self._complaints()
        register_optimizer_step_post_hook(self._stepped)

    def _environment(self) -> None:
        kind: Any = type(os.environ)
        original = kind.__setitem__

        def set_item(variables: Any, name: Any, value: Any) -> None:
            original(variables, name, value)
            if line := line_of(sys._getframe(1)):
                self.set[line, str(name)] = self.recorder.communicated

        kind.__setitem__ = set_item

    def _backward_passes(self) -> None:
        original = torch.Tensor.backward

        @functools.wraps(original)
        def backward(*args: Any, **keywords: Any) -> Any:
            if self.inside:  # torch comes here twice where it asks somebody else first
                return original(*args, **keywords)
            line, calls, self.inside = line_of(sys._getframe(1)), self.recorder.number, True
            try:
                result = original(*args, **keywords)
            finally:
                self.inside = False
            self.pending += 1
            if line and args and _is_mean_loss(args[0]):
                self.mean_losses[line] += 1
            if line and self.recorder.number > calls:
                self.reductions[line] += 1
            return result

        torch.Tensor.backward = backward

    def _clearing(self) -> None:
        original = Optimizer.zero_grad

        @functools.wraps(original)
        def zero_grad(*args: Any, **keywords: Any) -> Any:
            if self.pending and (line := line_of(sys._getframe(1))):
                self.thrown[line] += self.pending
            self.pending = 0
            return original(*args, **keywords)

        Optimizer.zero_grad = zero_grad

    def _complaints(self) -> None:
        parallel: Any = torch.nn.parallel.DistributedDataParallel
        original = parallel.forward

        @functools.wraps(original)
        def forward(*args: Any, **keywords: Any) -> Any:
            try:
                return original(*args, **keywords)
            except RuntimeError as error:
                self.unreduced = self.unreduced or parameters_without_gradient(str(error))
                raise

        parallel.forward = forward

    def _stepped(self, *_: Any) -> None:
        self.steps += 1
        self.pending = 0

    def facts(self, how: str) -> Iterator[dict[str, Any]]:
        """After the script has ended."""
        rank = self.recorder.rank
        late = [_at(line, name=name) for (line, name), too_late in self.set.items() if too_late]
        yield {"kind": "environ", "rank": rank, "late": late}
        thrown = [_at(line, count=count) for line, count in self.thrown.items()]
        reductions = [_at(line, count=count) for line, count in self.reductions.items()]
        yield {"kind": "windows", "rank": rank, "steps": self.steps, "thrown": thrown, "reductions": reductions,
               "unreduced": self.unreduced,
               "mean_losses": [_at(line, count=count) for line, count in self.mean_losses.items()]}  # fmt: skip
        own = [work for work in group.unwaited() if work.recorder is self.recorder]
        # a rank that came to its end has nothing left to wait with; of one that was stopped, what it had thrown away
        unwaited = sorted(work.number for work in own if how == "finished" or work.dropped)
        threads = [thread.name for thread in threading.enumerate() if _outlives(thread)] if how == "exception" else []
        left = {"group": dist.is_initialized(), "unwaited": unwaited, "threads": threads}
        yield {"kind": "left", "rank": rank, **left}
        yield {"kind": "parameters", "rank": rank, "given": [_at(line) for line in sorted(self.recorder.parameters)]}


def _is_mean_loss(value: Any) -> bool:
    """What a loss function gave back, without a scale: a mean, unless the function says that it is a sum."""
    made = getattr(value, "grad_fn", None)
    name = made.name().rstrip("0123456789").removesuffix("Backward") if made is not None else ""
    return name == "Mean" or (name.endswith("Loss") and getattr(made, "_saved_reduction", 1) == 1)


def _outlives(thread: threading.Thread) -> bool:
    return thread.is_alive() and not thread.daemon and thread is not threading.main_thread()


def _at(line: Line, **more: Any) -> dict[str, Any]:
    return {"path": line[0], "line": line[1], **more}
