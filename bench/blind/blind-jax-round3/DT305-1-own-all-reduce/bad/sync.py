import torch
import torch.distributed as dist


class GradientAverager:
    """Averages gradients in one flat buffer."""

    def __init__(self, module):
        self.params = [p for p in module.parameters() if p.requires_grad]
        self.world = dist.get_world_size()

    @torch.no_grad()
    def __call__(self):
        flat = torch.cat([p.grad.reshape(-1) for p in self.params])
        dist.all_reduce(flat)
        flat /= self.world
        offset = 0
        for p in self.params:
            p.grad.copy_(flat[offset : offset + p.numel()].view_as(p))
            offset += p.numel()


@torch.no_grad()
def share_parameters(module):
    for p in module.parameters():
        dist.broadcast(p, src=0)
