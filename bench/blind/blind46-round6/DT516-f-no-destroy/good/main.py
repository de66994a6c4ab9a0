import torch
import torch.distributed as dist

from ddp_context import process_group

with process_group() as device:
    x = torch.ones(2, device=device)
    dist.all_reduce(x)
    if dist.get_rank() == 0:
        print(x.tolist())
