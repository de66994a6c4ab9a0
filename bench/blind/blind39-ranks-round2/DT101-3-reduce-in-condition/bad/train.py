import os
from types import SimpleNamespace

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

CONFIG = SimpleNamespace(epochs=4, batch=32, lr=1e-2, check_every=2, target=0.05)


def mean_over_ranks(value):
    value = value.detach().clone()
    dist.all_reduce(value)
    return value.item() / dist.get_world_size()


def init():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    return SimpleNamespace(device=device, local_rank=local_rank, cuda=cuda, main=dist.get_rank() == 0)


def dataset():
    g = torch.Generator().manual_seed(40)
    angles = torch.rand(1600, 1, generator=g) * 6.28
    return TensorDataset(angles, torch.cat([angles.sin(), angles.cos()], dim=1))


def train(env):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(1, 64), nn.ReLU(), nn.Linear(64, 2)).to(env.device)
    model = DDP(net, device_ids=[env.local_rank] if env.cuda else None)
    optimizer = torch.optim.Adam(model.parameters(), lr=CONFIG.lr)
    data = dataset()
    sampler = DistributedSampler(data, seed=1, drop_last=True)
    loader = DataLoader(data, batch_size=CONFIG.batch, sampler=sampler, drop_last=True)
    best = float("inf")
    for epoch in range(CONFIG.epochs):
        sampler.set_epoch(epoch)
        running = torch.zeros((), device=env.device)
        for angle, target in loader:
            optimizer.zero_grad(set_to_none=True)
            loss = nn.functional.mse_loss(model(angle.to(env.device)), target.to(env.device))
            loss.backward()
            optimizer.step()
            running += loss.detach()
        running /= len(loader)
        if env.main and (current := mean_over_ranks(running)) < best:
            best = current
            torch.save({"net": net.state_dict(), "loss": best}, "best.pt")
            print(f"epoch {epoch}: new best {best:.4f}")


if __name__ == "__main__":
    environment = init()
    try:
        train(environment)
    finally:
        dist.destroy_process_group()
