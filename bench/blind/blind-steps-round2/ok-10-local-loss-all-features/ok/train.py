import os

import torch
import torch.distributed as dist
import torch.distributed.nn.functional as dist_fn
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.left = nn.Linear(12, 8)
        self.right = nn.Linear(20, 8)
        self.scale = nn.Parameter(torch.tensor(1.5))

    def forward(self, a, b):
        return F.normalize(self.left(a), dim=1), F.normalize(self.right(b), dim=1), self.scale.exp()


def symmetric(a, b, scale):
    all_a = torch.cat(dist_fn.all_gather(a))
    all_b = torch.cat(dist_fn.all_gather(b))
    want = torch.arange(len(a), device=a.device) + dist.get_rank() * len(a)
    return (F.cross_entropy(scale * a @ all_b.t(), want) + F.cross_entropy(scale * b @ all_a.t(), want)) / 2


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DistributedDataParallel(Pair().to(device), device_ids=[local] if cuda else None)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    g = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(640, 12, generator=g), torch.randn(640, 20, generator=g))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for a, b in loader:
            opt.zero_grad()
            symmetric(*model(a.to(device), b.to(device))).backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
