"""Early stopping on a reduced metric; the best state stays on rank 0."""
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Patience:
    def __init__(self, limit, folder):
        self.limit, self.folder = limit, folder
        self.best, self.bad = float("inf"), 0

    def __call__(self, value, net):
        """True when the run should stop. `value` is the same on all ranks."""
        if value < self.best - 1e-4:
            self.best, self.bad = value, 0
            if dist.get_rank() == 0:
                torch.save(net.state_dict(), os.path.join(self.folder, "best.pt"))
            return False
        self.bad += 1
        return self.bad > self.limit


@torch.no_grad()
def validate(net, loader):
    net.eval()
    sums = torch.zeros(2, dtype=torch.float64)
    for x, y in loader:
        sums[0] += nn.functional.mse_loss(net(x), y, reduction="sum").double()
        sums[1] += y.numel()
    net.train()
    dist.all_reduce(sums)
    return (sums[0] / sums[1]).item()


def main(epochs=200):
    dist.init_process_group("gloo")
    folder = os.environ.get("RUN", "run")
    os.makedirs(folder, exist_ok=True)
    train_set = TensorDataset(*torch.load("train.pt", map_location="cpu"))
    valid_set = TensorDataset(*torch.load("valid.pt", map_location="cpu"))
    sampler = DistributedSampler(train_set, drop_last=True)
    train = DataLoader(train_set, 64, sampler=sampler, drop_last=True)
    valid = DataLoader(valid_set, 256, sampler=DistributedSampler(valid_set, shuffle=False))
    net = nn.Sequential(nn.Linear(30, 128), nn.SELU(), nn.Linear(128, 3))
    model = DDP(net)
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    patience = Patience(8, folder)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in train:
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if patience(validate(net, valid), net):
            break
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
