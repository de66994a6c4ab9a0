"""Keeps the best checkpoint by validation accuracy."""
import copy
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Accuracy:
    def __init__(self, device):
        self.counts = torch.zeros(2, device=device)

    def update(self, logits, target):
        self.counts[0] += (logits.argmax(1) == target).sum()
        self.counts[1] += len(target)

    def compute(self):
        dist.all_reduce(self.counts)
        return (self.counts[0] / self.counts[1]).item()


def split(name, batch, train):
    data = TensorDataset(*torch.load(f"{name}.pt", map_location="cpu"))
    sampler = DistributedSampler(data, shuffle=train, drop_last=train)
    return DataLoader(data, batch, sampler=sampler, drop_last=train)


def main(epochs=10):
    local_rank = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local_rank)
    torch.cuda.set_device(device)
    dist.init_process_group("nccl")
    train, valid = split("train", 64, True), split("valid", 256, False)
    net = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 10)).to(device)
    model = DDP(net, device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    best, kept = 0.0, None
    for epoch in range(epochs):
        train.sampler.set_epoch(epoch)
        for x, y in train:
            loss = nn.functional.cross_entropy(model(x.to(device)), y.to(device))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        net.eval()
        accuracy = Accuracy(device)
        with torch.no_grad():
            for x, y in valid:
                accuracy.update(net(x.to(device)), y.to(device))
        net.train()
        value = accuracy.compute()
        if value > best:
            best, kept = value, copy.deepcopy(net.state_dict())
    if dist.get_rank() == 0:
        torch.save({"net": kept, "accuracy": best}, "best.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
