import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def build(cfg):
    x = torch.randn(cfg.samples, 6, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x.cos().sum(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    batch = cfg.per_rank_batch // dist.get_world_size()
    return DataLoader(data, batch_size=batch, sampler=sampler, drop_last=True), sampler
