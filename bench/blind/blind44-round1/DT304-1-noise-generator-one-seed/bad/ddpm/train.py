import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from ddpm.noise import NoiseSource
from ddpm.schedule import Schedule


class Eps(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.time = nn.Embedding(200, dim)
        self.net = nn.Sequential(nn.Linear(dim, 64), nn.SiLU(), nn.Linear(64, dim))

    def forward(self, x, t):
        return self.net(x + self.time(t))


def main(seed=17, epochs=3):
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(seed)
    model = DDP(Eps(10).to(device), device_ids=[device.index] if cuda else None)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    noise = NoiseSource(seed, device)
    schedule = Schedule(device=device)
    data = TensorDataset(torch.randn(960, 10, generator=torch.Generator().manual_seed(0)))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            x = x.to(device)
            t = noise.timesteps(len(x), schedule.total)
            eps = noise.like(x)
            loss = (model(schedule.mix(x, eps, t), t) - eps).pow(2).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
