import torch
import torch.distributed as dist


class Links:
    def __init__(self, shape):
        self.rank, self.size, self.shape = dist.get_rank(), dist.get_world_size(), shape
        self.first, self.last = self.rank == 0, self.rank == self.size - 1

    def forward_in(self):
        x = torch.empty(self.shape)
        dist.recv(x, src=self.rank - 1)
        return x.requires_grad_()

    def forward_out(self, y):
        dist.send(y.detach(), dst=self.rank + 1)

    def backward_in(self):
        g = torch.empty(self.shape)
        dist.recv(g, src=self.rank + 1)
        return g

    def backward_out(self, g):
        dist.send(g, dst=self.rank - 1)
