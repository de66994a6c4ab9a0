import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
from torchmetrics import MeanMetric, MetricCollection
from torchmetrics.classification import MulticlassAccuracy, MulticlassF1Score


def build(classes=5):
    return nn.Sequential(nn.Linear(20, 40), nn.GELU(), nn.Linear(40, classes))


def split(seed, n):
    x = torch.randn(n, 20, generator=torch.Generator().manual_seed(seed))
    return TensorDataset(x, x[:, :5].argmax(1))


class Evaluation:
    def __init__(self, loader, device, rank):
        self.loader, self.device, self.rank = loader, device, rank
        self.scores = MetricCollection(
            {"acc": MulticlassAccuracy(num_classes=5), "f1": MulticlassF1Score(num_classes=5)}
        ).to(device)
        self.loss = MeanMetric().to(device)

    @torch.no_grad()
    def run(self, net, epoch):
        net.eval()
        for x, y in self.loader:
            logits, y = net(x.to(self.device)), y.to(self.device)
            self.scores.update(logits, y)
            self.loss.update(nn.functional.cross_entropy(logits, y))
        if self.rank == 0:
            values = {k: v.item() for k, v in self.scores.compute().items()}
            print(f"epoch {epoch}: loss {self.loss.compute().item():.4f} {values}")
        self.scores.reset()
        self.loss.reset()
        net.train()


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    net = build().to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    train, held = split(0, 800), split(1, 200)
    sampler = DistributedSampler(train, drop_last=True)
    loader = DataLoader(train, batch_size=20, sampler=sampler, drop_last=True)
    held_loader = DataLoader(held, batch_size=20, sampler=DistributedSampler(held, shuffle=False))
    evaluation = Evaluation(held_loader, device, dist.get_rank())
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for x, y in loader:
            opt.zero_grad()
            nn.functional.cross_entropy(model(x.to(device)), y.to(device)).backward()
            opt.step()
        evaluation.run(net, epoch)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
