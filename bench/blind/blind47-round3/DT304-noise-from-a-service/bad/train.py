import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from services import NoiseService


class Denoiser(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(width + 1, 64), nn.SiLU(), nn.Linear(64, width))

    def forward(self, x, t):
        return self.net(torch.cat([x, t.unsqueeze(1)], dim=1))


def main(seed=11, top=100):
    dist.init_process_group("gloo")
    torch.manual_seed(seed)
    data = TensorDataset(torch.randn(512, 8))
    sampler = DistributedSampler(data, seed=seed)
    loader = DataLoader(data, 16, sampler=sampler)
    model = DistributedDataParallel(Denoiser(8))
    optimizer = torch.optim.AdamW(model.parameters())
    noise = NoiseService(seed)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            t = noise.steps(len(x), top) / top
            eps = noise.like(x)
            loss = (model((1 - t).sqrt().unsqueeze(1) * x + t.sqrt().unsqueeze(1) * eps, t) - eps).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
