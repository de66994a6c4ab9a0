from __future__ import annotations

from dataclasses import dataclass, field

import torch
import torch.distributed as dist


@dataclass
class Pending:
    tensor: torch.Tensor
    work: dist.Work


@dataclass
class Reducer:
    queue: list[Pending] = field(default_factory=list)

    def push(self, tensor: torch.Tensor) -> None:
        self.queue.append(Pending(tensor, dist.all_reduce(tensor, async_op=True)))

    def norm(self) -> float:
        return sum(float(item.tensor.norm()) ** 2 for item in self.queue) ** 0.5

    def drain(self) -> None:
        for item in self.queue:
            item.work.wait()
            item.tensor.div_(dist.get_world_size())

    def clear(self) -> None:
        self.queue.clear()
