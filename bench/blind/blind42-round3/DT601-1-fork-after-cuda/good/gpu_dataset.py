"""Simulated phantoms: the dataset precomputes a basis on the GPU."""
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Phantoms(Dataset):
    def __init__(self, count, size=64, device="cuda"):
        grid = torch.linspace(-1, 1, size, device=device)
        self.basis = torch.stack([torch.sin(k * grid) for k in range(1, 33)])
        self.count = count
        self.basis = self.basis.cpu()

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        weights = torch.randn(32, generator=g).to(self.basis.device)
        signal = weights @ self.basis
        return signal.cpu(), weights.cpu()


def main(epochs=3):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    data = Phantoms(100_000)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 128, sampler=sampler, num_workers=4, drop_last=True)
    model = DDP(nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 32)).cuda(), device_ids=[local_rank])
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x.cuda()), y.cuda())
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "phantoms.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
