"""Horovod."""
import os

import horovod.torch as hvd
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


def metric_average(value, name):
    return hvd.allreduce(torch.tensor(value), name=name).item()


def main():
    hvd.init()
    torch.manual_seed(42)
    torch.cuda.set_device(hvd.local_rank())
    g = torch.Generator().manual_seed(0)
    x = torch.randn(4096, 10, generator=g)
    train, val = TensorDataset(x[:3072], x[:3072].sum(1)), TensorDataset(x[3072:], x[3072:].sum(1))
    sampler = DistributedSampler(train, num_replicas=hvd.size(), rank=hvd.rank())
    loader = DataLoader(train, batch_size=32, sampler=sampler)
    val_loader = DataLoader(val, batch_size=32, sampler=DistributedSampler(val, num_replicas=hvd.size(), rank=hvd.rank(), shuffle=False))
    model = torch.nn.Sequential(torch.nn.Linear(10, 50), torch.nn.ReLU(), torch.nn.Linear(50, 1)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01 * hvd.size(), momentum=0.9)
    resume = 0
    path = "checkpoint-{}.pth"
    for e in range(20, 0, -1):
        if os.path.exists(path.format(e)):
            resume = e
            break
    resume = hvd.broadcast(torch.tensor(resume), root_rank=0, name="resume").item()
    if resume > 0 and hvd.rank() == 0:
        ckpt = torch.load(path.format(resume), map_location="cpu")
        model.load_state_dict(ckpt["model"])
        optimizer.load_state_dict(ckpt["optimizer"])
    optimizer = hvd.DistributedOptimizer(optimizer, named_parameters=model.named_parameters(), compression=hvd.Compression.fp16)
    hvd.broadcast_parameters(model.state_dict(), root_rank=0)
    hvd.broadcast_optimizer_state(optimizer, root_rank=0)
    for epoch in range(resume, 20):
        model.train()
        sampler.set_epoch(epoch)
        for data, target in loader:
            optimizer.zero_grad()
            loss = F.mse_loss(model(data.cuda()).squeeze(-1), target.cuda())
            loss.backward()
            optimizer.step()
        model.eval()
        total = 0.0
        with torch.no_grad():
            for data, target in val_loader:
                total += F.mse_loss(model(data.cuda()).squeeze(-1), target.cuda()).item()
        total = metric_average(total / len(val_loader), "val")
        if hvd.rank() == 0:
            print("epoch", epoch, "val", total)
            torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, path.format(epoch + 1))


if __name__ == "__main__":
    main()
