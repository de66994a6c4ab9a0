import os
from types import SimpleNamespace

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def environment():
    env = SimpleNamespace(
        rank=int(os.environ["RANK"]),
        local_rank=int(os.environ["LOCAL_RANK"]),
        world=int(os.environ["WORLD_SIZE"]),
        gpu=torch.cuda.is_available(),
    )
    env.device = torch.device(f"cuda:{env.local_rank}") if env.gpu else torch.device("cpu")
    if env.gpu:
        torch.cuda.set_device(env.device)
    return env


def sampler_for(dataset, env):
    return DistributedSampler(dataset, num_replicas=env.world, rank=env.local_rank, drop_last=True)


def train(env, epochs=2):
    torch.manual_seed(0)
    model = DDP(nn.Sequential(nn.Linear(3, 20), nn.Softplus(), nn.Linear(20, 3)).to(env.device))
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    x = torch.randn(384, 3, generator=torch.Generator().manual_seed(0))
    dataset = TensorDataset(x, torch.linalg.cross(x, x.roll(1, 1)))
    sampler = sampler_for(dataset, env)
    loader = DataLoader(dataset, batch_size=12, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for a, b in loader:
            loss = F.mse_loss(model(a.to(env.device)), b.to(env.device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return model.module


if __name__ == "__main__":
    env = environment()
    dist.init_process_group("nccl" if env.gpu else "gloo", rank=env.rank, world_size=env.world)
    trained = train(env)
    if env.rank == 0:
        torch.save(trained.state_dict(), "cross.pt")
    dist.destroy_process_group()
