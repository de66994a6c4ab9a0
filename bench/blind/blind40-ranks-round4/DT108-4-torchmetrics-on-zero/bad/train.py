import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
from torchmetrics import MetricCollection
from torchmetrics.classification import MulticlassAccuracy, MulticlassF1Score


class Evaluator:
    def __init__(self, classes, device):
        self.metrics = MetricCollection(
            {"acc": MulticlassAccuracy(classes), "f1": MulticlassF1Score(classes, average="macro")}
        ).to(device)
        self.device = device

    @torch.no_grad()
    def run(self, net, loader):
        net.eval()
        self.metrics.reset()
        for x, y in loader:
            self.metrics.update(net(x.to(self.device)), y.to(self.device))
        net.train()

    def summary(self):
        return {k: round(v.item(), 4) for k, v in self.metrics.compute().items()}


def split(n, seed):
    x = torch.randn(n, 15, generator=torch.Generator().manual_seed(seed))
    return TensorDataset(x, x[:, :3].argmax(1))


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(15, 30), nn.ReLU(), nn.Linear(30, 3)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    train, held = split(600, 1), split(200, 2)
    sampler = DistributedSampler(train, drop_last=True)
    loader = DataLoader(train, batch_size=20, sampler=sampler, drop_last=True)
    held_loader = DataLoader(held, batch_size=50, sampler=DistributedSampler(held, shuffle=False))
    evaluator = Evaluator(3, device)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in loader:
            opt.zero_grad()
            nn.functional.cross_entropy(model(x.to(device)), y.to(device)).backward()
            opt.step()
        evaluator.run(net, held_loader)
        if rank == 0:
            print(epoch, evaluator.summary())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
