import os
from typing import NamedTuple

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Moments(NamedTuple):
    mean: torch.Tensor
    std: torch.Tensor

    def apply(self, x):
        return (x - self.mean) / self.std


def moments(x, device):
    """Mean and deviation of each column, from the rows of all ranks."""
    sums = torch.cat([x.sum(0), x.square().sum(0), torch.tensor([float(len(x))])]).to(device)
    dist.all_reduce(sums)
    width = x.shape[1]
    mean = sums[:width] / sums[-1]
    std = (sums[width:-1] / sums[-1] - mean.square()).clamp(min=1e-8).sqrt()
    return Moments(mean, std)


def table():
    g = torch.Generator().manual_seed(61)
    x = torch.randn(1000, 6, generator=g) * torch.tensor([1.0, 10, 100, 0.1, 5, 50]) + 3
    return x, (x[:, :1] > 3).float()


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    x, y = table()
    norm = moments(x[rank::world], device)
    data = TensorDataset(x, y)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=25, sampler=sampler, drop_last=True)
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 1)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for a, b in loader:
            opt.zero_grad()
            out = model(norm.apply(a.to(device)))
            nn.functional.binary_cross_entropy_with_logits(out, b.to(device)).backward()
            opt.step()
    if rank == 0:
        torch.save({"net": net.state_dict(), "norm": norm._asdict()}, "standardised.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
