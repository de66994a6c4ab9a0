"""Checks that all ranks run the same software before anything else, then trains a tiny diffusion model."""
import os
import platform

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def check_software():
    mine = {"python": platform.python_version(), "torch": torch.__version__, "cuda": torch.version.cuda}
    everybody = [None] * dist.get_world_size()
    dist.all_gather_object(everybody, mine)
    if any(other != mine for other in everybody):
        raise RuntimeError(f"ranks run different software: {everybody}")


def choose_device():
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    return torch.device("cuda", local)


class Denoiser(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(width + 1, 256), nn.SiLU(), nn.Linear(256, 256), nn.SiLU(), nn.Linear(256, width))

    def forward(self, x, t):
        return self.net(torch.cat([x, t[:, None]], dim=1))


def points(rows=50_000, width=64):
    g = torch.Generator().manual_seed(1)
    return TensorDataset(torch.randn(rows, 4, generator=g) @ torch.randn(4, width, generator=g))


def main():
    device = choose_device()
    dist.init_process_group("nccl")
    check_software()
    torch.manual_seed(6)
    model = DDP(Denoiser().to(device), device_ids=[device.index])
    torch.manual_seed(6 + dist.get_rank())
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    rows = points()
    sampler = DistributedSampler(rows, drop_last=True)
    loader = DataLoader(rows, batch_size=512, sampler=sampler, drop_last=True)
    for epoch in range(20):
        sampler.set_epoch(epoch)
        for (clean,) in loader:
            clean = clean.to(device, non_blocking=True)
            t = torch.rand(len(clean), device=device)
            noise = torch.randn_like(clean)
            noisy = (1 - t[:, None]).sqrt() * clean + t[:, None].sqrt() * noise
            loss = nn.functional.mse_loss(model(noisy, t), noise)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "denoiser.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
