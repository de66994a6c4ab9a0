from dataclasses import dataclass, replace

import torch
import torch.distributed as dist


@dataclass(frozen=True, slots=True)
class Channel:
    rank: int = 0
    world: int = 1
    source: int = 0
    chunk: int = 1 << 20

    @classmethod
    def open(cls) -> "Channel":
        base = cls()
        dist.init_process_group("gloo")
        me = dist.get_rank()
        return replace(base, rank=me, world=dist.get_world_size())

    def share(self, tensor: torch.Tensor) -> torch.Tensor:
        for part in tensor.view(-1).split(self.chunk):
            dist.broadcast(part, src=self.source)
        return tensor

    def mean(self, tensor: torch.Tensor) -> torch.Tensor:
        dist.all_reduce(tensor)
        return tensor.div_(self.world)
