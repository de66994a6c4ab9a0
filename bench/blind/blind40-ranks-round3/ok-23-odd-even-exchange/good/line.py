import torch
import torch.distributed as dist


class Line:
    """Ranks in a row; each knows the last value of its left neighbour."""

    def __init__(self):
        self.rank, self.world = dist.get_rank(), dist.get_world_size()

    def shift(self, value):
        left = torch.zeros_like(value)
        if self.rank % 2 == 0:
            if self.rank + 1 < self.world:
                dist.send(value, dst=self.rank + 1)
            if self.rank > 0:
                dist.recv(left, src=self.rank - 1)
        else:
            dist.recv(left, src=self.rank - 1)
            if self.rank + 1 < self.world:
                dist.send(value, dst=self.rank + 1)
        return left
