import torch
import torch.distributed as dist


class ShardedSGD:
    """Each rank owns one slice of the flat weights and the momentum for it."""

    def __init__(self, net, lr, momentum=0.9):
        self.params = list(net.parameters())
        self.world, self.rank = dist.get_world_size(), dist.get_rank()
        total = sum(p.numel() for p in self.params)
        self.padding = -total % self.world
        self.lr, self.momentum = lr, momentum
        self.size = (total + self.padding) // self.world
        self.velocity = torch.zeros(self.size, device=self.params[0].device)

    def _flat(self, tensors):
        flat = torch.cat([t.flatten() for t in tensors])
        return torch.nn.functional.pad(flat, (0, self.padding))

    @torch.no_grad()
    def step(self):
        weights = self._flat([p.data for p in self.params])
        mine = weights.narrow(0, self.rank * self.size, self.size)
        shard = torch.empty_like(mine)
        work = dist.reduce_scatter_tensor(shard, self._flat([p.grad for p in self.params]), async_op=True)
        work.wait()
        self.velocity.mul_(self.momentum).add_(shard, alpha=1 / self.world)
        updated = torch.empty_like(weights)
        dist.all_gather_into_tensor(updated, mine - self.lr * self.velocity)
        at = 0
        for p in self.params:
            p.data.copy_(updated[at : at + p.numel()].view_as(p))
            at += p.numel()
