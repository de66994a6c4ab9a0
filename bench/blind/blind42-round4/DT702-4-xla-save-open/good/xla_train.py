import json

import torch
import torch.nn as nn
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.runtime as xr
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def evaluate(net, loader):
    right = total = 0
    with torch.no_grad():
        for x, y in loader:
            right += (net(x).argmax(1) == y).sum().item()
            total += len(y)
    right = xm.mesh_reduce("right", right, sum)
    total = xm.mesh_reduce("total", total, sum)
    return right / total


def worker(index, epochs):
    device = torch_xla.device()
    torch.manual_seed(0)
    train_set = TensorDataset(*torch.load("train.pt", map_location="cpu"))
    valid_set = TensorDataset(*torch.load("valid.pt", map_location="cpu"))
    sampler = DistributedSampler(train_set, num_replicas=xr.world_size(), rank=xr.global_ordinal(), drop_last=True)
    vsampler = DistributedSampler(valid_set, num_replicas=xr.world_size(), rank=xr.global_ordinal(), shuffle=False)
    train = pl.MpDeviceLoader(DataLoader(train_set, 64, sampler=sampler, drop_last=True), device)
    valid = pl.MpDeviceLoader(DataLoader(valid_set, 64, sampler=vsampler, drop_last=True), device)
    net = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 8)).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in train:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(net(x), y)
            loss.backward()
            xm.optimizer_step(optimizer)
        accuracy = evaluate(net, valid)
        if xm.is_master_ordinal(local=False):
            with open("metrics.json", "w") as fh:
                json.dump({"epoch": epoch, "accuracy": accuracy}, fh)
        xm.save(net.state_dict(), "net.pt")


if __name__ == "__main__":
    torch_xla.launch(worker, args=(5,))
