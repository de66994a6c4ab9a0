import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Masked(Dataset):
    def __init__(self, n=2048, width=64):
        gen = torch.Generator().manual_seed(12)
        self.rows = torch.randn(n, width, generator=gen)
        self.ratio = 0.1

    def set_ratio(self, ratio):
        self.ratio = ratio

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        row = self.rows[i]
        keep = torch.rand(row.shape) >= self.ratio
        return row * keep, row


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(500 + dist.get_rank())
    model = DDP(nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 64)).to(device))
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    data = Masked()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(
        data, batch_size=32, sampler=sampler, num_workers=4, persistent_workers=False, drop_last=True
    )
    for epoch in range(10):
        sampler.set_epoch(epoch)
        data.set_ratio(min(0.1 + 0.05 * epoch, 0.5))
        for masked, clean in loader:
            loss = F.mse_loss(model(masked.to(device)), clean.to(device))
            opt.zero_grad()
            loss.backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
