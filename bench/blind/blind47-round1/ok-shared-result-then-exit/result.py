from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Generic, TypeVar

import torch.distributed as dist

T = TypeVar("T")
U = TypeVar("U")


@dataclass
class Result(Generic[T]):
    value: T | None = None
    error: str | None = None

    def then(self, fn: Callable[[T], Result[U]]) -> Result[U]:
        return fn(self.value) if self.error is None else Result(error=self.error)


def from_lead(fn: Callable[[], Result[T]]) -> Result[T]:
    box = [fn() if dist.get_rank() == 0 else None]
    dist.broadcast_object_list(box, src=0)
    return box[0]
