import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class WindowDataset(Dataset):
    def __init__(self, n=256, dim=16, seed=17):
        g = torch.Generator().manual_seed(seed)
        self.x = torch.randn(n, dim, generator=g)
        self.y = self.x[:, :4].sum(dim=1, keepdim=True)

    def __len__(self):
        return self.x.shape[0]

    def __getitem__(self, i):
        return self.x[i], self.y[i]


def make_loader(cfg):
    ds = WindowDataset(n=8192)
    per_rank = cfg.global_batch // torch.cuda.device_count()
    sampler = DistributedSampler(ds, drop_last=True)
    return DataLoader(ds, batch_size=per_rank, sampler=sampler, drop_last=True)
