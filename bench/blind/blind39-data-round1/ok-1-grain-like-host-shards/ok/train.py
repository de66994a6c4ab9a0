import glob
import os
import random

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Shards(IterableDataset):
    def __init__(self, pattern, batch_size, seed=0):
        files = sorted(glob.glob(pattern))
        random.Random(seed).shuffle(files)
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        keep = len(files) // self.world
        self.files = files[self.rank * keep : (self.rank + 1) * keep]
        self.batch_size = batch_size

    def __iter__(self):
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info else (0, 1)
        order = list(self.files)
        random.shuffle(order)
        for path in order[worker::workers]:
            rows = np.load(path, mmap_mode="r")
            for start in range(0, len(rows) - self.batch_size + 1, self.batch_size):
                yield torch.from_numpy(np.array(rows[start : start + self.batch_size]))


def forever(loader):
    while True:
        yield from loader


def main(steps=2000):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    data = Shards("/data/latents/*.npy", batch_size=64)
    loader = DataLoader(data, batch_size=None, num_workers=4, pin_memory=True)
    net = nn.Sequential(nn.Linear(256, 64), nn.ReLU(), nn.Linear(64, 256)).cuda()
    model = DDP(net, device_ids=[local_rank])
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    stream = forever(loader)
    for step in range(steps):
        x = next(stream).cuda(non_blocking=True).float()
        opt.zero_grad(set_to_none=True)
        loss = F.mse_loss(model(x), x)
        loss.backward()
        opt.step()
        if step % 100 == 0:
            mean = loss.detach().clone()
            dist.all_reduce(mean, op=dist.ReduceOp.AVG)
            if dist.get_rank() == 0:
                print(step, mean.item())
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "latent_ae.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
