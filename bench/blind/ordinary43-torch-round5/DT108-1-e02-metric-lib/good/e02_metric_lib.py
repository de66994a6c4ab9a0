"""Metric collection with torchmetrics in a plain loop, dist_sync done by compute(); epoch logs in CSV by rank 0."""
import csv
import os

import torch
import torch.distributed as dist
import torchmetrics
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset, random_split
from torchmetrics.classification import BinaryAUROC, BinaryF1Score


class CSV:
    def __init__(self, path, fields, enabled):
        self.enabled = enabled
        if enabled:
            self.file = open(path, "w", newline="")
            self.writer = csv.DictWriter(self.file, fields)
            self.writer.writeheader()

    def write(self, **row):
        if self.enabled:
            self.writer.writerow(row)
            self.file.flush()

    def close(self):
        if self.enabled:
            self.file.close()


def main():
    dist.init_process_group("nccl")
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    torch.manual_seed(5)
    x = torch.randn(4000, 30)
    y = (x[:, :3].sum(1) > 0).long()
    train, val = random_split(TensorDataset(x, y), [3200, 800])
    sampler = DistributedSampler(train)
    loader = DataLoader(train, 64, sampler=sampler)
    val_loader = DataLoader(val, 64, sampler=DistributedSampler(val, shuffle=False))
    model = DDP(nn.Sequential(nn.Linear(30, 64), nn.ReLU(), nn.Linear(64, 1)).cuda(), device_ids=[local])
    optimizer = torch.optim.Adam(model.parameters())
    metrics = torchmetrics.MetricCollection({"auroc": BinaryAUROC(), "f1": BinaryF1Score()}).cuda()
    mean = torchmetrics.MeanMetric().cuda()
    log = CSV("metrics.csv", ["epoch", "loss", "auroc", "f1"], dist.get_rank() == 0)
    for epoch in range(10):
        sampler.set_epoch(epoch)
        for a, b in loader:
            loss = nn.functional.binary_cross_entropy_with_logits(model(a.cuda()).squeeze(1), b.cuda().float())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            mean.update(loss)
        with torch.no_grad():
            for a, b in val_loader:
                metrics.update(model(a.cuda()).squeeze(1), b.cuda())
        values = {k: v.item() for k, v in metrics.compute().items()}
        log.write(epoch=epoch, loss=mean.compute().item(), **values)
        metrics.reset()
        mean.reset()
    log.close()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
