import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler

from loss import Contrastive


class Pairs(Dataset):
    def __init__(self, n=4096, dim=128):
        self.base = torch.randn(n, dim, generator=torch.Generator().manual_seed(2))

    def __len__(self):
        return len(self.base)

    def __getitem__(self, i):
        row = self.base[i]
        return row + 0.05 * torch.randn(row.shape), row + 0.05 * torch.randn(row.shape)


class Tower(nn.Module):
    def __init__(self, dim=128, out=64):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, 256), nn.GELU(), nn.Linear(256, out))

    def forward(self, a, b):
        return self.net(torch.cat([a, b])).chunk(2)


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank)
    dist.init_process_group("nccl", device_id=device)
    torch.manual_seed(0)
    model = DDP(Tower().to(device), device_ids=[local_rank])
    opt = torch.optim.AdamW(model.parameters(), lr=5e-4)
    data = Pairs()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=128, sampler=sampler, num_workers=4, pin_memory=True, drop_last=True)
    criterion = Contrastive(device)
    for epoch in range(10):
        sampler.set_epoch(epoch)
        for a, b in loader:
            za, zb = model(a.to(device, non_blocking=True), b.to(device, non_blocking=True))
            loss = criterion(za, zb)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "tower.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
