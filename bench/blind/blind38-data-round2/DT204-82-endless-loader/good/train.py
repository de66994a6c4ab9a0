"""Contrastive audio pre-training counted in steps; the loader is walked through again and again."""
import argparse
import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def endless(loader, sampler):
    turn = 0
    while True:
        sampler.set_epoch(turn)
        for batch in loader:
            yield batch
        turn += 1


class Tower(nn.Module):
    def __init__(self, width, out=64):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(width, 256), nn.GELU(), nn.Linear(256, out))

    def forward(self, x):
        return F.normalize(self.net(x), dim=-1)


class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.sound, self.words = Tower(128), Tower(96)
        self.scale = nn.Parameter(torch.tensor(2.6))

    def forward(self, sound, words):
        scores = self.scale.exp() * self.sound(sound) @ self.words(words).t()
        target = torch.arange(len(scores), device=scores.device)
        return (F.cross_entropy(scores, target) + F.cross_entropy(scores.t(), target)) / 2


def pairs(rows=6400):
    g = torch.Generator().manual_seed(10)
    hidden = torch.randn(rows, 16, generator=g)
    return TensorDataset(hidden @ torch.randn(16, 128, generator=g), hidden @ torch.randn(16, 96, generator=g))


def setup():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    return torch.device("cuda", local) if cuda else torch.device("cpu")


def main():
    cli = argparse.ArgumentParser()
    cli.add_argument("--steps", type=int, default=2000)
    cli.add_argument("--batch-size", type=int, default=64)
    args = cli.parse_args()
    device = setup()
    torch.manual_seed(0)
    rows = pairs()
    sampler = DistributedSampler(rows, shuffle=True, drop_last=True)
    loader = DataLoader(rows, args.batch_size, sampler=sampler, drop_last=True)
    model = DistributedDataParallel(Pair().to(device), device_ids=[device.index] if device.type == "cuda" else None)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4)
    batches = endless(loader, sampler)
    for step in range(args.steps):
        sound, words = (part.to(device) for part in next(batches))
        loss = model(sound, words)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if step % 200 == 0:
            mean = loss.detach().clone()
            dist.all_reduce(mean)
            if dist.get_rank() == 0:
                print(step, mean.item() / dist.get_world_size(), flush=True)
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "pair.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
