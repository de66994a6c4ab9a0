import torch
import torch.distributed as dist


def seed_everything(seed, by_rank=True):
    torch.manual_seed(seed + (dist.get_rank() if by_rank else 0))
