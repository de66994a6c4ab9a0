"""Step-based loop with an evaluation interval kept by a small progress object."""
import os
import time

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Progress:
    def __init__(self, eval_every):
        self.eval_every = eval_every
        self.pending = 0
        self.started = time.monotonic()

    def tick(self, loss):
        self.pending += 1
        if dist.get_rank() != 0:
            return
        if self.pending % 20 == 0:
            print(f"{self.pending} steps, {time.monotonic() - self.started:.0f}s, loss {loss.item():.3f}", flush=True)

    def due(self):
        if self.pending >= self.eval_every:
            self.pending = 0
            return True
        return False


@torch.no_grad()
def evaluate(net, loader):
    totals = torch.zeros(2)
    net.eval()
    for x, y in loader:
        totals += torch.tensor([nn.functional.l1_loss(net(x), y, reduction="sum").item(), len(x)])
    net.train()
    dist.all_reduce(totals)
    return (totals[0] / totals[1]).item()


def main(epochs=5):
    dist.init_process_group("gloo")
    blob = torch.load(os.environ["ROWS"], map_location="cpu")
    train_set, test_set = TensorDataset(*blob["train"]), TensorDataset(*blob["test"])
    sampler = DistributedSampler(train_set, drop_last=True)
    train = DataLoader(train_set, 64, sampler=sampler, drop_last=True)
    test = DataLoader(test_set, 256, sampler=DistributedSampler(test_set, shuffle=False))
    net = nn.Sequential(nn.Linear(24, 64), nn.ReLU(), nn.Linear(64, 1))
    model = DDP(net)
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    progress = Progress(eval_every=100)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in train:
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            progress.tick(loss)
            if progress.due():
                error = evaluate(net, test)
                if dist.get_rank() == 0:
                    print(f"test error {error:.4f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
