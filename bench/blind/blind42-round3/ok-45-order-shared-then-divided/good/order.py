import os

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP


class Feed:
    def __init__(self, path, size, seed=0):
        self.rows = np.load(path, mmap_mode="r")
        self.size, self.seed, self.epoch = size, seed, 0
        self.rank, self.world = dist.get_rank(), dist.get_world_size()

    def __len__(self):
        return len(self.rows) // (self.size * self.world)

    def __iter__(self):
        order = np.random.default_rng([self.seed, self.epoch]).permutation(len(self.rows))
        self.epoch += 1
        for step in range(len(self)):
            start = (step * self.world + self.rank) * self.size
            rows = np.sort(order[start : start + self.size])
            yield torch.from_numpy(self.rows[rows].astype(np.float32))


def main(epochs=5):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    feed = Feed("rows.npy", 64)
    model = DDP(nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 32)).cuda(), device_ids=[local_rank])
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    for _ in range(epochs):
        for x in feed:
            x = x.cuda()
            loss = nn.functional.mse_loss(model(x), x)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "net.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
