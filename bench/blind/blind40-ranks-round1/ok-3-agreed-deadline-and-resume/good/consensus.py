import functools

import torch
import torch.distributed as dist


def from_lead(fn):
    """Call on the lead only and hand its answer to everybody."""

    @functools.wraps(fn)
    def call(*args, **kwargs):
        box = [fn(*args, **kwargs) if dist.get_rank() == 0 else None]
        dist.broadcast_object_list(box, src=0)
        return box[0]

    return call


def any_rank(flag, device):
    t = torch.tensor([1 if flag else 0], device=device)
    dist.all_reduce(t, op=dist.ReduceOp.MAX)
    return bool(t.item())
