import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler

from features import FeatureCache


class Tiles(Dataset):
    def __init__(self, n=320):
        gen = torch.Generator().manual_seed(5)
        self.x = torch.rand(n, 48, generator=gen)
        self.y = (self.x.mean(1) > 0.5).long()

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return i, self.x[i], self.y[i]


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    encoder = nn.Sequential(nn.Linear(48, 48), nn.ReLU()).to(device).eval()
    head = DDP(nn.Linear(48, 2).to(device), device_ids=[local_rank] if cuda else None)
    opt = torch.optim.Adam(head.parameters(), lr=1e-2)
    tiles = Tiles()
    sampler = DistributedSampler(tiles, drop_last=True)
    loader = DataLoader(tiles, batch_size=1, sampler=sampler, drop_last=True)
    cache = FeatureCache(encoder, device)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for index, pixels, label in loader:
            feature = cache.get(int(index), pixels)
            loss = F.cross_entropy(head(feature), label.to(device))
            opt.zero_grad()
            loss.backward()
            opt.step()
    del cache
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
