import argparse
import json
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler
from torchmetrics import MetricCollection
from torchmetrics.classification import MulticlassAccuracy, MulticlassF1Score


class Digits(Dataset):
    def __init__(self, n, seed):
        gen = torch.Generator().manual_seed(seed)
        self.x = torch.rand(n, 49, generator=gen)
        self.y = (self.x.mean(1) * 60).long().clamp(25, 34) - 25

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


def metric_set(device):
    return MetricCollection({"acc": MulticlassAccuracy(10, average="micro"), "f1": MulticlassF1Score(10)}).to(device)


@torch.no_grad()
def evaluate(model, loader, metrics, device):
    model.eval()
    metrics.reset()
    for x, y in loader:
        metrics.update(model(x.to(device)), y.to(device))
    model.train()


def train_epoch(model, opt, loader, device):
    for x, y in loader:
        opt.zero_grad()
        nn.functional.cross_entropy(model(x.to(device)), y.to(device)).backward()
        opt.step()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=4)
    args = parser.parse_args()
    local_rank = int(os.environ["LOCAL_RANK"])
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(49, 128), nn.ReLU(), nn.Linear(128, 10)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    train, test = Digits(6000, 1), Digits(1000, 2)
    sampler = DistributedSampler(train, drop_last=True)
    loader = DataLoader(train, batch_size=50, sampler=sampler, drop_last=True)
    test_loader = DataLoader(test, batch_size=100, sampler=DistributedSampler(test, shuffle=False))
    metrics = metric_set(device)
    history = []
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        train_epoch(model, opt, loader, device)
        evaluate(model, test_loader, metrics, device)
        history.append({name: value.item() for name, value in metrics.compute().items()})
        if dist.get_rank() == 0:
            print(epoch, history[-1])
    if dist.get_rank() == 0:
        with open("history.json", "w") as out:
            json.dump(history, out)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
