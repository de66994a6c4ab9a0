import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class WithHead(nn.Module):
    def __init__(self, trunk, outputs):
        super().__init__()
        self.trunk = trunk
        self.head = nn.Linear(64, outputs)

    def forward(self, x):
        return self.head(self.trunk(x))


def phase(module, loader, device, ids, target, epochs):
    model = DDP(module.to(device), device_ids=ids)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        loader.sampler.set_epoch(epoch)
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            opt.zero_grad(set_to_none=True)
            target(model(x), x, y).backward()
            opt.step()
    return model.module


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    ids = [local_rank] if cuda else None
    gen = torch.Generator().manual_seed(30)
    x = torch.randn(4096, 20, generator=gen)
    data = TensorDataset(x, (x[:, 0] > 0).long())
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    torch.manual_seed(0)
    trunk = nn.Sequential(nn.Linear(20, 64), nn.ReLU())
    first = phase(WithHead(trunk, 20), loader, device, ids, lambda out, x, y: F.mse_loss(out, x), 2)
    second = phase(WithHead(first.trunk, 2), loader, device, ids, lambda out, x, y: F.cross_entropy(out, y), 3)
    if dist.get_rank() == 0:
        torch.save(second.state_dict(), "two-phases.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
