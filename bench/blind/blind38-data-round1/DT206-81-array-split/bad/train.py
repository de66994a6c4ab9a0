"""Trains a decoder on recorded sessions; sessions are dealt out once and every rank walks through its own."""
import os

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP


def sessions(count=203, steps=40, channels=24):
    rng = np.random.default_rng(0)
    spikes = rng.poisson(1.5, (count, steps, channels)).astype("float32")
    velocity = spikes[:, :, :2] - spikes[:, :, 2:4]
    return spikes, velocity


def deal(count, rank, world, seed):
    order = np.random.default_rng(seed).permutation(count)
    return np.array_split(order, world)[rank]


class Decoder(nn.Module):
    def __init__(self, channels=24, hidden=48):
        super().__init__()
        self.core = nn.GRU(channels, hidden, batch_first=True)
        self.out = nn.Linear(hidden, 2)

    def forward(self, spikes):
        states, _ = self.core(spikes)
        return self.out(states)


def pick_device():
    if not torch.cuda.is_available():
        return torch.device("cpu"), "gloo"
    index = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(index)
    return torch.device("cuda", index), "nccl"


def main(epochs=5, seed=21):
    device, backend = pick_device()
    dist.init_process_group(backend)
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(seed)

    spikes, velocity = sessions()
    model = DDP(Decoder().to(device), device_ids=[device.index] if device.type == "cuda" else None)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

    for epoch in range(epochs):
        mine = deal(len(spikes), rank, world, seed + epoch)
        error = torch.zeros(2, device=device)
        for session in mine:
            x = torch.from_numpy(spikes[session]).unsqueeze(0).to(device)
            y = torch.from_numpy(velocity[session]).unsqueeze(0).to(device)
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            error[0] += loss.detach()
            error[1] += 1
        dist.all_reduce(error)
        if rank == 0:
            print(f"{epoch}: mse {(error[0] / error[1]).item():.4f}", flush=True)

    if rank == 0:
        torch.save(model.module.state_dict(), "decoder.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
