"""Table with a row per rank, filled with own timings, summed over ranks; slowest rank told by rank 0; straggler excluded on all."""
import os
import time

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Timings:
    def __init__(self, names):
        self.names = list(names)
        self.table = np.zeros((dist.get_world_size(), len(self.names)))
        self.began = {}

    def start(self, name):
        self.began[name] = time.perf_counter()

    def stop(self, name):
        self.table[dist.get_rank(), self.names.index(name)] += time.perf_counter() - self.began.pop(name)

    def everybody(self):
        t = torch.tensor(self.table, device="cuda")
        dist.all_reduce(t)
        self.table[:] = 0
        return t.cpu().numpy()


def main():
    dist.init_process_group("nccl")
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    g = torch.Generator().manual_seed(0)
    x = torch.randn(4096, 64, generator=g)
    data = TensorDataset(x, x.sum(1, keepdim=True))
    sampler = DistributedSampler(data)
    loader = DataLoader(data, 64, sampler=sampler)
    model = DDP(nn.Linear(64, 1).cuda(), device_ids=[local])
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    timings = Timings(["forward", "backward"])
    for epoch in range(10):
        sampler.set_epoch(epoch)
        for a, b in loader:
            timings.start("forward")
            loss = nn.functional.mse_loss(model(a.cuda()), b.cuda())
            timings.stop("forward")
            optimizer.zero_grad()
            timings.start("backward")
            loss.backward()
            timings.stop("backward")
            optimizer.step()
        table = timings.everybody()
        slowest = int(table.sum(1).argmax())
        if table.sum(1).max() > 3 * np.median(table.sum(1)):
            if dist.get_rank() == slowest:
                print(f"rank {slowest} is slow", table[slowest])
            dist.barrier()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "timed.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
