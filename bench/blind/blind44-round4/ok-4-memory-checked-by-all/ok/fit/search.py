import torch
import torch.distributed as dist


def all_well(ok, device):
    flag = torch.tensor([1 if ok else 0], device=device)
    dist.all_reduce(flag, op=dist.ReduceOp.MIN)
    return bool(flag.item())


def largest(trial, device, start=8, most=4096):
    size = start
    while size <= most:
        try:
            trial(size)
            ok = True
        except torch.cuda.OutOfMemoryError:
            torch.cuda.empty_cache()
            ok = False
        if not all_well(ok, device):
            break
        size *= 2
    return size // 2
