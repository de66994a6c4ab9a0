"""Behaviour cloning from one shared replay file with sampling with replacement."""
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, RandomSampler, TensorDataset


def replay_loader(path, batch, draws):
    data = TensorDataset(*torch.load(path, map_location="cpu", mmap=True))
    generator = torch.Generator().manual_seed(2024 + dist.get_rank())
    sampler = RandomSampler(data, replacement=True, num_samples=draws, generator=generator)
    return DataLoader(data, batch_size=batch, sampler=sampler, num_workers=2, drop_last=True)


class Policy(nn.Module):
    def __init__(self, obs=48, actions=12):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(obs, 256), nn.ELU(), nn.Linear(256, 256), nn.ELU(), nn.Linear(256, actions))

    def forward(self, obs):
        return self.net(obs)


def main(rounds=50):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    loader = replay_loader("replay.pt", 256, 256 * 500)
    model = DDP(Policy().cuda(), device_ids=[local_rank])
    optimizer = torch.optim.Adam(model.parameters(), 3e-4)
    for number in range(rounds):
        for obs, action in loader:
            loss = nn.functional.mse_loss(model(obs.cuda()), action.cuda())
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        if dist.get_rank() == 0:
            torch.save(model.module.state_dict(), f"policy_{number}.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
