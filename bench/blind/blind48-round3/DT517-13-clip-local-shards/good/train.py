import functools
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import size_based_auto_wrap_policy
from torch.utils.data import DataLoader, Dataset, DistributedSampler

from optim import ClippedStep


class WindowDataset(Dataset):
    def __init__(self, n=256, dim=16, seed=17):
        g = torch.Generator().manual_seed(seed)
        self.x = torch.randn(n, dim, generator=g)
        self.y = self.x[:, :4].sum(dim=1, keepdim=True)

    def __len__(self):
        return self.x.shape[0]

    def __getitem__(self, i):
        return self.x[i], self.y[i]


def build_model(dim=16, hidden=32):
    return nn.Sequential(nn.Linear(dim, hidden), nn.GELU(), nn.Linear(hidden, 1))


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    device = torch.device("cuda", local_rank)
    torch.manual_seed(0)
    policy = functools.partial(size_based_auto_wrap_policy, min_num_params=1000)
    model = FSDP(build_model(hidden=512).to(device), auto_wrap_policy=policy, device_id=local_rank)
    step = ClippedStep(model, torch.optim.AdamW(model.parameters(), lr=1e-3), max_norm=1.0)
    ds = WindowDataset()
    sampler = DistributedSampler(ds, drop_last=True)
    loader = DataLoader(ds, batch_size=16, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for x, y in loader:
            step(F.mse_loss(model(x.to(device)), y.to(device)))
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
