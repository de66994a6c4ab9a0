import torch
import torch.distributed as dist


class Ring:
    def __init__(self):
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        self.right = (self.rank + 1) % self.world
        self.left = (self.rank - 1) % self.world

    def shift(self, block):
        """Gives the block to the right neighbour and takes that of the left one."""
        received = torch.empty_like(block)
        dist.send(block, dst=self.right)
        dist.recv(received, src=self.left)
        return received
