import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class VAE(nn.Module):
    def __init__(self, dim=64, latent=8):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(dim, 128), nn.ReLU(), nn.Linear(128, 2 * latent))
        self.decoder = nn.Sequential(nn.Linear(latent, 128), nn.ReLU(), nn.Linear(128, dim))

    def loss(self, x, beta, noise):
        mean, log_var = self.encoder(x).chunk(2, dim=-1)
        z = mean + noise * (0.5 * log_var).exp()
        kl = -0.5 * (1 + log_var - mean.square() - log_var.exp()).sum(dim=-1).mean()
        return F.mse_loss(self.decoder(z), x, reduction="none").sum(dim=-1).mean() + beta * kl

    def forward(self, x, beta, noise):
        return self.loss(x, beta, noise)


def annealed(step, until=500):
    return min(1.0, step / until)


def main(epochs=4, latent=8):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(VAE(latent=latent).to(device), device_ids=[local_rank] if cuda else None)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    data = TensorDataset(torch.randn(8192, 64, generator=torch.Generator().manual_seed(4)))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
    own = torch.Generator(device=device).manual_seed(700 + dist.get_rank())
    step = 0
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            x = x.to(device)
            noise = torch.randn(len(x), latent, device=device, generator=own)
            opt.zero_grad(set_to_none=True)
            loss = model(x, annealed(step), noise)
            loss.backward()
            opt.step()
            step += 1
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "vae.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
