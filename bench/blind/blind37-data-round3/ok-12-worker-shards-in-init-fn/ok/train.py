import os
from functools import partial
from itertools import cycle, islice
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Frames(IterableDataset):
    def __init__(self, folder):
        self.files = sorted(Path(folder).glob("*.npz"))

    def __iter__(self):
        for file in cycle(self.files):
            for frame in np.load(file)["frames"]:
                yield torch.from_numpy(frame).float() / 255


def take_share(worker, rank, world):
    info = get_worker_info()
    slots = world * info.num_workers
    info.dataset.files = info.dataset.files[rank * info.num_workers + worker :: slots]


class Fill(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(3, 32, 5, padding=2), nn.ReLU(), nn.Conv2d(32, 3, 5, padding=2))

    def forward(self, x):
        return self.net(x)


def main(steps=10_000):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(rank)
    start = partial(take_share, rank=rank, world=world)
    loader = DataLoader(Frames("/data/frames"), batch_size=16, num_workers=4, worker_init_fn=start)
    model = DDP(Fill().cuda(), device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-4)
    for step, frames in enumerate(islice(loader, steps), 1):
        frames = frames.cuda(non_blocking=True)
        hole = (torch.rand_like(frames[:, :1]) < 0.3).float()
        loss = (model(frames * (1 - hole)) - frames).abs().mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if step % 1000 == 0 and rank == 0:
            torch.save(model.module.state_dict(), f"fill-{step}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
