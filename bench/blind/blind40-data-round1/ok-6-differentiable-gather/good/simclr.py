import os

import torch
import torch.distributed as dist
import torch.distributed.nn.functional as dist_nn
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Views(Dataset):
    def __init__(self, n=1024):
        gen = torch.Generator().manual_seed(5)
        self.base = torch.randn(n, 30, generator=gen)

    def __len__(self):
        return len(self.base)

    def __getitem__(self, i):
        x = self.base[i]
        return x + 0.2 * torch.randn_like(x), x + 0.2 * torch.randn_like(x)


def info_nce(a, b, temperature=0.1):
    rank = dist.get_rank()
    every = torch.cat(dist_nn.all_gather(b.contiguous()))
    logits = a @ every.t() / temperature
    target = torch.arange(len(a), device=a.device) + rank * len(a)
    return F.cross_entropy(logits, target)


def main(epochs=2):
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(30, 64), nn.ReLU(), nn.Linear(64, 16)).to(device)
    model = DDP(net, device_ids=[local] if cuda else None)
    torch.manual_seed(1000 + dist.get_rank())
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    data = Views()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 64, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for left, right in loader:
            both = model(torch.cat([left, right]).to(device))
            a, b = F.normalize(both, dim=-1).chunk(2)
            loss = info_nce(a, b)
            opt.zero_grad()
            loss.backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
