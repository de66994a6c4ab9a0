import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from seeding import common_seed, seed_all


def main(epochs=5, seed=9):
    dist.init_process_group("nccl")
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    seed_all(seed)
    with common_seed(seed):
        gen = nn.Sequential(nn.Linear(32, 256), nn.ReLU(), nn.Linear(256, 64))
        disc = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 1))
    gen, disc = (DDP(net.cuda(), device_ids=[local], broadcast_buffers=False) for net in (gen, disc))
    opt_g, opt_d = (torch.optim.Adam(net.parameters(), lr=2e-4) for net in (gen, disc))
    data = TensorDataset(torch.load("vectors.pt", map_location="cpu"))
    sampler = DistributedSampler(data, seed=seed, drop_last=True)
    loader = DataLoader(data, batch_size=128, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for (real,) in loader:
            real = real.cuda()
            z = torch.randn(len(real), 32, device=real.device)
            fake = gen(z)
            scores = disc(torch.cat([real, fake.detach()]))
            want = torch.cat([torch.ones(len(real), 1), torch.zeros(len(real), 1)]).cuda()
            loss_d = F.binary_cross_entropy_with_logits(scores, want)
            opt_d.zero_grad()
            loss_d.backward()
            opt_d.step()
            disc.requires_grad_(False)
            loss_g = F.softplus(-disc(fake)).mean()
            opt_g.zero_grad()
            loss_g.backward()
            opt_g.step()
            disc.requires_grad_(True)
    if dist.get_rank() == 0:
        torch.save(gen.module.state_dict(), "gen.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
