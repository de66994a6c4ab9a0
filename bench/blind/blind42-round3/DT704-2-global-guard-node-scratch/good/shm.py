"""Copies the training file into shared memory and maps it from there."""
import os
import shutil

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Windows(Dataset):
    def __init__(self, path, length=128):
        self.values = np.load(path, mmap_mode="r")
        self.length = length

    def __len__(self):
        return len(self.values) // self.length - 1

    def __getitem__(self, i):
        return torch.from_numpy(self.values[i * self.length : (i + 1) * self.length + 1].astype(np.float32))


def staged(source, local_rank):
    target = os.path.join("/dev/shm", os.path.basename(source))
    if local_rank == 0:
        shutil.copyfile(source, target)
    dist.barrier()
    return target


def main(epochs=3):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    data = Windows(staged("/nfs/data/energy.npy", local_rank))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 64, sampler=sampler, num_workers=4, drop_last=True)
    model = DDP(nn.Sequential(nn.Linear(128, 256), nn.SiLU(), nn.Linear(256, 1)).cuda(), device_ids=[local_rank])
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for row in loader:
            row = row.cuda(non_blocking=True)
            loss = nn.functional.mse_loss(model(row[:, :-1]).squeeze(1), row[:, -1])
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "energy.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
