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
        if self.rank % 2 == 0:
            dist.send(block, dst=self.right)
            dist.recv(received, src=self.left)
        else:
            dist.recv(received, src=self.left)
            dist.send(block, dst=self.right)
        return received
