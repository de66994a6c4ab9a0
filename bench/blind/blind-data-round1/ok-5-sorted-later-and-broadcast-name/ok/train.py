import glob
import os
import random
import shutil
import time
import uuid

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP


def agree(value):
    box = [value if dist.get_rank() == 0 else None]
    dist.broadcast_object_list(box, src=0)
    return box[0]


def shards(folder, rank, world, seed):
    names = glob.glob(os.path.join(folder, "*.pt"))
    names.sort()
    random.Random(seed).shuffle(names)
    per_rank = len(names) // world
    return names[rank * per_rank : (rank + 1) * per_rank]


def batches(names, size, limit):
    rows = torch.cat([torch.load(name, map_location="cpu", weights_only=True) for name in names])
    for index in range(limit):
        start = index * size % (len(rows) - size)
        yield rows[start : start + size]


def newest(folder):
    found = [entry for entry in os.listdir(folder) if entry.startswith("ckpt")]
    return max(found, key=lambda name: int(name[4:-3])) if found else None


def main():
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if cuda else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    device = torch.device("cuda", torch.cuda.current_device()) if cuda else torch.device("cpu")
    run = os.path.join("runs", agree(f"{time.strftime('%m%d')}-{uuid.uuid4().hex[:6]}"))
    os.makedirs(run, exist_ok=True)
    torch.manual_seed(0)
    model = DDP(nn.Linear(4, 4).to(device))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    started = time.perf_counter()
    for step, rows in enumerate(batches(shards("parts", rank, world, seed=3), 8, limit=20)):
        rows = rows.to(device)
        loss = F.mse_loss(model(rows), rows)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 5 == 0 and rank == 0:
            torch.save(model.module.state_dict(), os.path.join(run, f"ckpt{step}.pt"))
            print(f"step {step} {time.perf_counter() - started:.1f}s latest {newest(run)}")
    torch.save(torch.random.get_rng_state(), os.path.join(run, f"rng_{rank}.pt"))
    dist.barrier()
    if rank == 0:
        shutil.make_archive(run, "tar", run)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
