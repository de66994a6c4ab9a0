"""A logbook that writes on the main process."""
import json
import os
import time

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Logbook:
    def __init__(self, path):
        self.rank = dist.get_rank()
        self.path = path
        if self.rank == 0:  # main process only
            with open(self.path, "w") as fh:
                fh.write(json.dumps({"started": time.time(), "world": dist.get_world_size()}) + "\n")

    def note(self, **values):
        if self.rank == 0:
            with open(self.path, "a") as fh:
                fh.write(json.dumps(values) + "\n")


def main(epochs=10):
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    data = TensorDataset(*torch.load(os.environ["ROWS"], map_location="cpu"))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 64, sampler=sampler, drop_last=True)
    net = nn.Sequential(nn.Linear(20, 80), nn.ReLU(), nn.Linear(80, 1))
    model = DDP(net)
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    book = Logbook("log.jsonl")
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        sums = torch.zeros(2)
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x).squeeze(1), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            sums += torch.tensor([loss.item(), 1.0])
        dist.all_reduce(sums)
        book.note(epoch=epoch, loss=(sums[0] / sums[1]).item())
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "net.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
