"""How does a rank tell the coordinator what it does? One recorder for each rank process."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

import torch

from dtlint.trace.channel import Channel, Closed
from dtlint.trace.frames import is_user_file, user_stack
from dtlint.trace.torch.arithmetic import pack, unpack

# between a call of the user and the group: not who calls
_PYTHON_API = (
    "distributed/distributed_c10d.py",
    "distributed/c10d_logger.py",
    "trace/torch/group.py",
    "trace/torch/cuda.py",
    "trace/torch/managers.py",
    "standin/torchft/__init__.py",
    "torch/overrides.py",
)


class Stopped(BaseException):
    """The coordinator ended the run. Not an Exception, so that `except Exception` lets it through."""


class Recorder:
    """The connection of this rank."""

    def __init__(self, rank: int, ranks: int, channel: Channel) -> None:
        self.rank, self.ranks, self.channel = rank, ranks, channel
        self.number = 0
        self.communicated = False  # beyond making groups
        self.parameters: set[tuple[str, int]] = set()  # lines that communicate a parameter as it is
        self.lock = threading.RLock()
        self.stopped = ""
        self.buffered_sends = True
        self.after_call: Callable[[FrameType | None], None] | None = None  # of the program's own synchronous calls

    def post(
        self,
        operation: str,
        group: str,
        members: list[int],
        signature: dict[str, Any],
        tensors: list[torch.Tensor],
        *,
        asynchronous: bool = False,
        detail: str = "",
    ) -> tuple[int, list[torch.Tensor] | None]:
        """Make a call. A synchronous one comes back with its result, an asynchronous one with None."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename.endswith(_PYTHON_API):
            frame = frame.f_back
        by_user = frame is not None and is_user_file(frame.f_code.co_filename)
        lazy = asynchronous and (by_user or operation in ("send", "recv"))
        stack = user_stack(frame)
        self.communicated |= operation not in ("init_process_group", "new_group")
        if stack and torch.is_grad_enabled() and any(tensor.requires_grad and tensor.is_leaf for tensor in tensors):
            self.parameters.add((str(stack[-1]["path"]), int(str(stack[-1]["line"]))))
        metas, payload = pack(tensors)
        header = {
            "type": "call",
            "operation": operation,
            "group": group,
            "members": members,
            "signature": signature,
            "tensors": metas,
            "asynchronous": lazy,
            "library": asynchronous and not lazy and not by_user,
            "detail": detail,
            "place": stack[-1] if stack else None,
            "stack": stack,
        }
        with self.lock:
            self.number += 1
            number = self.number
            header["number"] = number
            self._send(header, payload)
            result = None if lazy else self._result()
        if self.after_call is not None and not asynchronous:
            self.after_call(frame if by_user else None)
        return number, result

    def wait(self, number: int) -> list[torch.Tensor]:
        with self.lock:
            self._send({"type": "wait", "number": number})
            return self._result()

    def pause(self) -> None:
        """Come back when no other rank can go on."""
        self._ask("pause")

    def take_turn(self) -> None:
        """Come back when the coordinator lets this rank begin."""
        self._ask("turn")

    def _ask(self, what: str) -> None:
        with self.lock:
            self._send({"type": what})
            self._result()

    def tell(self, header: dict[str, Any]) -> None:
        with self.lock:
            self._send(header)

    def _send(self, header: dict[str, Any], payload: bytes = b"") -> None:
        if self.stopped:
            raise Stopped(self.stopped)
        try:
            self.channel.send(header, payload)
        except Closed:
            self._stop("the coordinator is gone")

    def _result(self) -> list[torch.Tensor]:
        try:
            header, payload = self.channel.receive()
        except Closed:
            self._stop("the coordinator is gone")
        if not header["ok"]:
            self._stop(str(header["reason"]))
        self.metas = header["tensors"]
        return unpack(header["tensors"], payload)

    def _stop(self, reason: str) -> Any:
        self.stopped = reason
        raise Stopped(reason)
