import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from rawdp.reduce import Averager
from rawdp.spikes import SpikeFilter


def main(epochs=4):
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
    opt = torch.optim.SGD(net.parameters(), 0.05)
    averager, spikes = Averager(net.parameters()), SpikeFilter()
    x = torch.randn(2048, 8, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x.pow(3).sum(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 16, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for a, b in loader:
            opt.zero_grad()
            nn.functional.mse_loss(net(a), b).backward()
            averager.average()
            if spikes.ok(averager.norm().item()):
                opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
