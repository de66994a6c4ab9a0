"""Does a statement do anything? What it should clear or change is compared, before it runs and after."""

from __future__ import annotations

import gc
import linecache
import os
import re
from types import FrameType
from typing import Any

import torch

RECEIVER = re.compile(r"\s*([A-Za-z_][\w.]*)\.\w+(?:\(.*)?$")
TIMES = 50


class Unchanged:
    """One line: how often it ran with something to change, and how often that was different afterwards."""

    def __init__(self, place: tuple[str, int]) -> None:
        self.path, self.number = os.path.realpath(place[0]), int(place[1])
        self.ran = self.changed = self.gradients = 0
        self.before: tuple[FrameType, Any] | None = None
        self.parameters: list[torch.nn.Parameter] = []
        match = RECEIVER.match(linecache.getline(self.path, self.number))
        self.receiver = compile(match.group(1), "<receiver>", "eval") if match else None

    def line(self, frame: FrameType, path: str) -> None:
        if self.before is not None and self.before[0] is frame:
            state, self.before = self.before[1], None
            self.changed += state != self._state(frame)
        if frame.f_lineno == self.number and path == self.path and self.ran < TIMES:
            if not self.parameters:
                self.parameters = [item for item in gc.get_objects() if type(item) is torch.nn.Parameter]
            gradients, held = self._state(frame)
            if gradients or held is not None:
                self.ran, self.gradients = self.ran + 1, len(gradients)
                self.before = frame, (gradients, held)

    def _state(self, frame: FrameType) -> tuple[dict[int, tuple[int, int]], Any]:
        gradients = {
            number: (id(item.grad), item.grad._version)
            for number, item in enumerate(self.parameters)
            if item.grad is not None
        }
        return gradients, self._held(frame)

    def _held(self, frame: FrameType) -> Any:
        """What the statement calls its method on, where that can be compared."""
        if self.receiver is None:
            return None
        try:
            value = eval(self.receiver, frame.f_globals, frame.f_locals)
        except Exception:
            return None
        if isinstance(value, torch.Tensor):
            return (value.device, value.dtype, tuple(value.shape), value.detach().flatten().tolist()[:4096])
        return list(value) if isinstance(value, (list, tuple)) else None

    def fact(self, rank: int) -> dict[str, Any]:
        counts = {"ran": self.ran, "changed": self.changed, "gradients": self.gradients}
        return {"kind": "unchanged", "rank": rank, "path": self.path, "line": self.number, **counts}
