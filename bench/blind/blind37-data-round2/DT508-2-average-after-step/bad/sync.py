import torch
import torch.distributed as dist


def broadcast_parameters(module):
    with torch.no_grad():
        for tensor in module.state_dict().values():
            dist.broadcast(tensor, src=0)


class GradientBuckets:
    """One flat all-reduce for all gradients of a dtype."""

    def __init__(self, parameters):
        self.parameters = [p for p in parameters if p.requires_grad]

    def average(self):
        world = dist.get_world_size()
        grads = [p.grad for p in self.parameters if p.grad is not None]
        flat = torch.cat([g.reshape(-1) for g in grads])
        dist.all_reduce(flat)
        flat /= world
        offset = 0
        for g in grads:
            g.copy_(flat[offset : offset + g.numel()].view_as(g))
            offset += g.numel()
