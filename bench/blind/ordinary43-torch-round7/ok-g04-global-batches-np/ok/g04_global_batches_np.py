"""Indices drawn in numpy by all ranks alike, filled into a preallocated array, own rows taken; weights adjusted by gathered losses."""
import os

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

N, BATCH = 10_000, 128


def main():
    dist.init_process_group("nccl")
    rank, world, local = dist.get_rank(), dist.get_world_size(), int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    rng = np.random.default_rng(7)
    x = torch.from_numpy(rng.normal(size=(N, 12)).astype(np.float32))
    y = x.prod(1, keepdim=True)
    weights = np.ones(N) / N
    model = DDP(nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 1)).cuda(), device_ids=[local])
    optimizer = torch.optim.Adam(model.parameters())
    per = BATCH // world
    for step in range(1000):
        chosen = rng.choice(N, per * world, replace=False, p=weights / weights.sum())
        mine = chosen[rank * per : (rank + 1) * per]
        errors = nn.functional.mse_loss(model(x[mine].cuda()), y[mine].cuda(), reduction="none").squeeze(1)
        optimizer.zero_grad()
        errors.mean().backward()
        optimizer.step()
        everybody = torch.empty(per * world, device="cuda")
        dist.all_gather_into_tensor(everybody, errors.detach())
        weights[chosen] = 0.9 * weights[chosen] + 0.1 * everybody.cpu().numpy()
        if step % 100 == 0:
            if weights.max() > 100 * weights.mean():
                weights[:] = weights.clip(max=100 * weights.mean())
                dist.barrier()
            if rank == 0:
                print(step, everybody.mean().item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
