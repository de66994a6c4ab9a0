import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Converged:
    def __init__(self, tolerance, window=3):
        self.tolerance, self.window = tolerance, window
        self.history = []

    def __call__(self, value):
        self.history.append(value)
        recent = self.history[-self.window :]
        return len(recent) == self.window and max(recent) - min(recent) < self.tolerance


def epoch_mean(losses, world):
    total = torch.stack(losses).mean()
    dist.all_reduce(total)
    return total.item() / world


def main(max_epochs=40):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(1)
    model = DDP(nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1)).to(device), device_ids=[local_rank] if cuda else None)
    opt = torch.optim.Adam(model.parameters())
    x = torch.randn(320, 4, generator=torch.Generator().manual_seed(2))
    data = TensorDataset(x, x.sin().sum(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    converged = Converged(1e-3)
    for epoch in range(max_epochs):
        sampler.set_epoch(epoch)
        losses = []
        for xb, yb in loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(model(xb.to(device)), yb.to(device))
            loss.backward()
            opt.step()
            losses.append(loss.detach())
        mean = epoch_mean(losses, world)
        if rank == 0:
            print(f"{epoch}: {mean:.5f}")
        if converged(mean):
            break
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
