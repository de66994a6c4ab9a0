"""Variational autoencoder whose loss is a method of the network."""
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class VAE(nn.Module):
    def __init__(self, width=100, code=8):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(width, 200), nn.Tanh(), nn.Linear(200, 2 * code))
        self.decoder = nn.Sequential(nn.Linear(code, 200), nn.Tanh(), nn.Linear(200, width))

    def elbo(self, x, beta=1.0):
        mean, log_variance = self.encoder(x).chunk(2, dim=-1)
        code = mean + torch.randn_like(mean) * (0.5 * log_variance).exp()
        error = (self.decoder(code) - x).pow(2).sum(dim=-1)
        divergence = 0.5 * (mean.pow(2) + log_variance.exp() - 1 - log_variance).sum(dim=-1)
        return (error + beta * divergence).mean()

    def forward(self, x, beta=1.0):
        return self.elbo(x, beta)

    @torch.no_grad()
    def sample(self, count, device):
        return self.decoder(torch.randn(count, 8, device=device))


def curves(rows=6000, width=100):
    g = torch.Generator().manual_seed(2)
    t = torch.linspace(0, 6.28, width)
    a, b = torch.rand(rows, 1, generator=g), torch.rand(rows, 1, generator=g) * 3
    return TensorDataset(a * torch.sin(t + b))


def warmed(epoch, length=5):
    return min(1.0, (epoch + 1) / length)


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    torch.manual_seed(0)
    model = DDP(VAE().to(device), device_ids=[local] if cuda else None)
    torch.manual_seed(rank)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    rows = curves()
    sampler = DistributedSampler(rows, drop_last=True)
    loader = DataLoader(rows, batch_size=100, sampler=sampler, drop_last=True)
    for epoch in range(10):
        sampler.set_epoch(epoch)
        beta = warmed(epoch)
        for (x,) in loader:
            loss = model.module.elbo(x.to(device), beta)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        shown = loss.detach().clone()
        dist.all_reduce(shown)
        if rank == 0:
            print(epoch, shown.item() / dist.get_world_size(), flush=True)
    if rank == 0:
        torch.save({"net": model.module.state_dict(), "samples": model.module.sample(16, device).cpu()}, "vae.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
