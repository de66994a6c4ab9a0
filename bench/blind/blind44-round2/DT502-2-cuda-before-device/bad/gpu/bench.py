import time

import torch
import torch.distributed as dist


def bandwidth(megabytes, turns=20):
    x = torch.empty(megabytes * 2**18).cuda()
    dist.all_reduce(x)
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(turns):
        dist.all_reduce(x)
    torch.cuda.synchronize()
    return megabytes * turns / (time.perf_counter() - begin)
