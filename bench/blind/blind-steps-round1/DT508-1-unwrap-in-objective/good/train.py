import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from objective import DenoisingObjective


class Denoiser(nn.Module):
    scale = 0.5

    def __init__(self, dim=20):
        super().__init__()
        self.inp = nn.Linear(dim + 1, 64)
        self.out = nn.Linear(64, dim)

    def embed(self, level):
        return self.scale * level

    def forward(self, x, level):
        return self.out(torch.relu(self.inp(torch.cat([x, level], 1))))


class Trainer:
    def __init__(self, model, objective, device):
        self.model = model
        self.objective = objective
        self.device = device
        self.optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
        self.draw = torch.Generator().manual_seed(77 + dist.get_rank())

    def fit(self, loader, epochs):
        for epoch in range(epochs):
            loader.sampler.set_epoch(epoch)
            for (clean,) in loader:
                noise = torch.randn(clean.shape, generator=self.draw)
                loss = self.objective(self.model, clean.to(self.device), noise.to(self.device))
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device(f"cuda:{local}" if cuda else "cpu")
    torch.manual_seed(0)
    model = DDP(Denoiser().to(device), device_ids=[local] if cuda else None)
    data = TensorDataset(torch.randn(2048, 20, generator=torch.Generator().manual_seed(4)))
    loader = DataLoader(data, batch_size=32, sampler=DistributedSampler(data, drop_last=True), drop_last=True)
    Trainer(model, DenoisingObjective(sigma=0.3), device).fit(loader, epochs=2)
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "denoiser.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
