import torch
import torch.distributed as dist


class HaloExchange:
    """Periodic one-dimensional domain: the last `width` cells travel to the right neighbour."""

    def __init__(self, width):
        self.width = width
        self.rank, self.world = dist.get_rank(), dist.get_world_size()

    @property
    def right(self):
        return (self.rank + 1) % self.world

    @property
    def left(self):
        return (self.rank - 1) % self.world

    def shift_right(self, field):
        edge = field[..., -self.width :].contiguous()
        halo = torch.empty_like(edge)
        dist.send(edge, dst=self.right)
        dist.recv(halo, src=self.left)
        return torch.cat([halo, field], dim=-1)
