import torch
import torch.distributed as dist


def everywhere_finite(loss):
    bad = (~torch.isfinite(loss.detach())).float()
    dist.all_reduce(bad, op=dist.ReduceOp.MAX)
    return bad.item() == 0
