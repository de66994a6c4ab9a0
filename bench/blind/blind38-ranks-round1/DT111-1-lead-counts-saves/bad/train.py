import argparse
import os
from collections import deque

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.fsdp import fully_shard
from torch.distributed.checkpoint.state_dict import get_state_dict


class Plateau:
    """Remembers the last few validation losses; flat() says whether they still fall."""

    def __init__(self, window=4, slack=1e-3):
        self.losses = deque(maxlen=window)
        self.slack = slack

    def see(self, loss):
        self.losses.append(loss)

    def flat(self):
        full = len(self.losses) == self.losses.maxlen
        return full and max(self.losses) - min(self.losses) < self.slack


def batch(gen, device, size=64):
    x = torch.randn(size, 48, generator=gen)
    return x.to(device), (x**2).mean(dim=1, keepdim=True).to(device)


def mean_over_ranks(value):
    dist.all_reduce(value)
    return (value / dist.get_world_size()).item()


@torch.no_grad()
def validate(model, device):
    gen = torch.Generator().manual_seed(70_000 + dist.get_rank())
    losses = []
    for _ in range(8):
        x, y = batch(gen, device)
        losses.append(F.mse_loss(model(x), y))
    return mean_over_ranks(torch.stack(losses).mean())


def save(model, optimizer, name):
    model_state, optim_state = get_state_dict(model, optimizer)
    dcp.save({"model": model_state, "optim": optim_state}, checkpoint_id=name)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=40)
    args = parser.parse_args()
    local_rank = int(os.environ["LOCAL_RANK"])
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(48, 128), nn.GELU(), nn.Linear(128, 1)).to(device)
    for layer in model:
        if isinstance(layer, nn.Linear):
            fully_shard(layer)
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    plateau = Plateau()
    gen = torch.Generator().manual_seed(dist.get_rank())
    for number in range(args.rounds):
        for _ in range(25):
            x, y = batch(gen, device)
            optimizer.zero_grad()
            F.mse_loss(model(x), y).backward()
            optimizer.step()
        loss = validate(model, device)
        if dist.get_rank() == 0:
            plateau.see(loss)
            print(f"round {number}: {loss:.5f}")
        if plateau.flat():
            save(model, optimizer, f"ckpt/flat_{number}")
            break
    save(model, optimizer, "ckpt/last")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
