import os
import random
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP


def my_shards(root, seed):
    shards = sorted(Path(root).glob("*.npy"))
    random.Random(seed).shuffle(shards)
    world = dist.get_world_size()
    return shards[: len(shards) // world * world][dist.get_rank() :: world]


def windows(shards):
    while True:
        for path in shards:
            rows = np.load(path, mmap_mode="r")
            for at in range(0, len(rows) - 63, 64):
                yield torch.from_numpy(rows[at : at + 64].astype(np.float32))


def main(steps=2000):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    job = os.environ.get("SLURM_JOB_ID", "0")
    run = Path("/shared/runs") / job
    run.mkdir(parents=True, exist_ok=True)
    model = DDP(nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 32)).cuda(), device_ids=[local_rank])
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    for step, x in zip(range(steps), windows(my_shards("/shared/rows", int(job)))):
        x = x.cuda()
        loss = nn.functional.mse_loss(model(x), x)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), run / "net.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
