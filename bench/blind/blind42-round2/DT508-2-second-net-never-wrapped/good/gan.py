"""A small GAN; generator and discriminator with an optimizer each."""
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

LATENT = 64


def generator():
    return nn.Sequential(
        nn.Linear(LATENT, 256 * 16), nn.ReLU(), nn.Unflatten(1, (256, 4, 4)),
        nn.ConvTranspose2d(256, 128, 4, 2, 1), nn.ReLU(),
        nn.ConvTranspose2d(128, 64, 4, 2, 1), nn.ReLU(),
        nn.ConvTranspose2d(64, 3, 4, 2, 1), nn.Tanh(),
    )


def discriminator():
    return nn.Sequential(
        nn.Conv2d(3, 64, 4, 2, 1), nn.LeakyReLU(0.2),
        nn.Conv2d(64, 128, 4, 2, 1), nn.LeakyReLU(0.2),
        nn.Conv2d(128, 256, 4, 2, 1), nn.LeakyReLU(0.2),
        nn.Flatten(), nn.Linear(256 * 16, 1),
    )


def main(epochs=50):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(dist.get_rank())
    data = TensorDataset(torch.load("faces32.pt", map_location="cpu", mmap=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 128, sampler=sampler, num_workers=4, pin_memory=True, drop_last=True)
    g = DDP(generator().cuda(), device_ids=[local_rank])
    d = DDP(discriminator().cuda(), device_ids=[local_rank])
    g_optimizer = torch.optim.Adam(g.parameters(), 2e-4, betas=(0.5, 0.999))
    d_optimizer = torch.optim.Adam(d.parameters(), 2e-4, betas=(0.5, 0.999))
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for (real,) in loader:
            real = real.cuda(non_blocking=True)
            noise = torch.randn(len(real), LATENT, device=real.device)
            fake = g(noise)
            logits = d(torch.cat([real, fake.detach()]))
            real_logits, fake_logits = logits.chunk(2)
            d_loss = nn.functional.softplus(-real_logits).mean() + nn.functional.softplus(fake_logits).mean()
            d_optimizer.zero_grad(set_to_none=True)
            d_loss.backward()
            d_optimizer.step()
            for p in d.parameters():
                p.requires_grad_(False)
            g_loss = nn.functional.softplus(-d(fake)).mean()
            g_optimizer.zero_grad(set_to_none=True)
            g_loss.backward()
            g_optimizer.step()
            for p in d.parameters():
                p.requires_grad_(True)
    if dist.get_rank() == 0:
        torch.save(g.module.state_dict(), "generator.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
