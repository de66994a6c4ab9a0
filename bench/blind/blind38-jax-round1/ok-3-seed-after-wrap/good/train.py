import os

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset, DistributedSampler, random_split

from rng import seed_all, worker_seed


class Waves(Dataset):
    def __init__(self, n=4096):
        self.phase = torch.linspace(0, 6.28, n)

    def __len__(self):
        return len(self.phase)

    def __getitem__(self, i):
        t = torch.linspace(0, 1, 64)
        return torch.sin(6.28 * 4 * t + self.phase[i]) + 0.02 * torch.from_numpy(np.random.randn(64)).float()


class VAE(nn.Module):
    def __init__(self, dim=64, latent=8):
        super().__init__()
        self.enc, self.dec = nn.Linear(dim, 2 * latent), nn.Linear(latent, dim)

    def forward(self, x):
        mean, logvar = self.enc(x).chunk(2, dim=-1)
        z = mean + torch.randn_like(mean) * torch.exp(0.5 * logvar)
        kl = -0.5 * (1 + logvar - mean.pow(2) - logvar.exp()).sum(-1).mean()
        return (self.dec(z) - x).pow(2).sum(-1).mean() + 0.1 * kl


def main(seed=2025, epochs=3):
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    seed_all(seed)
    net = VAE().to(device)
    model = DistributedDataParallel(net, device_ids=[local] if cuda else None)
    train, held = random_split(Waves(), [0.9, 0.1], generator=torch.Generator().manual_seed(seed))
    seed_all(seed + 1 + rank)
    sampler = DistributedSampler(train, seed=seed, drop_last=True)
    loader = DataLoader(train, 64, sampler=sampler, drop_last=True, num_workers=2, worker_init_fn=worker_seed)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        total = torch.zeros(2, device=device)
        for x in loader:
            loss = model(x.to(device))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            total += torch.stack([loss.detach(), torch.ones_like(loss)])
        dist.all_reduce(total)
        if rank == 0:
            print(f"epoch {epoch}: {total[0] / total[1]:.3f} over {world} ranks")
    if rank == 0:
        torch.save(net.state_dict(), "vae.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
