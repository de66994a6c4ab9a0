import torch
import torch.distributed as dist


@torch.no_grad()
def clip_sharded(parameters, max_norm: float) -> torch.Tensor:
    """clip_grad_norm_ without the DTensor dispatch overhead."""
    grads = [p.grad.to_local() for p in parameters if p.grad is not None]
    squares = torch.stack([g.float().square().sum() for g in grads]).sum()
    dist.all_reduce(squares)
    norm = squares.sqrt()
    factor = (max_norm / (norm + 1e-6)).clamp(max=1.0)
    for g in grads:
        g.mul_(factor)
    return norm
