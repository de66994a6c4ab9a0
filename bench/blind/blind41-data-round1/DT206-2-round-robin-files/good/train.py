import glob
import os

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def batches(pattern, rank, world, size):
    paths = sorted(glob.glob(pattern))
    paths = paths[: len(paths) // world * world]
    mine = [path for i, path in enumerate(paths) if i % world == rank]
    for path in mine:
        block = torch.from_numpy(np.load(path, mmap_mode="r")[:4096].astype("int64"))
        for piece in block.view(-1, size):
            yield piece


def main(pattern="tokens/*.npy", epochs=1):
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model = DDP(nn.Sequential(nn.Embedding(50304, 64), nn.Linear(64, 50304)).cuda(), device_ids=[local])
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    for _ in range(epochs):
        for ids in batches(pattern, dist.get_rank(), dist.get_world_size(), 256):
            ids = ids.cuda(non_blocking=True)
            loss = nn.functional.cross_entropy(model(ids[:-1]), ids[1:])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
