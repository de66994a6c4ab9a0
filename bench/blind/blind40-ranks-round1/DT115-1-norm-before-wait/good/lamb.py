import torch
import torch.distributed as dist


class ShardedClipper:
    """Each rank owns a slice of the gradient vector; clips by the norm over all slices."""

    def __init__(self, parameters, max_norm):
        self.parameters = list(parameters)
        self.max_norm = max_norm
        rank, world = dist.get_rank(), dist.get_world_size()
        self.mine = self.parameters[rank::world]

    @torch.no_grad()
    def clip(self):
        squares = [p.grad.pow(2).sum() for p in self.mine]
        total = torch.stack(squares).sum() if squares else torch.zeros((), device=self.parameters[0].device)
        pending = dist.all_reduce(total, async_op=True)
        pending.wait()
        scale = (self.max_norm / (total.sqrt() + 1e-6)).clamp(max=1.0)
        torch._foreach_mul_([p.grad for p in self.parameters], scale.item())
        return total.sqrt()
