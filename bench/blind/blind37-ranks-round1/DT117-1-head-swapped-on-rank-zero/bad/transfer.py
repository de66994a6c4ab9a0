import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Backbone(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(18, 36), nn.ReLU(), nn.Linear(36, 36), nn.ReLU())
        self.head = nn.Linear(36, classes)

    def forward(self, x):
        return self.head(self.trunk(x))


def adapt(model, checkpoint, classes, rank):
    """Pretrained trunk with a fresh head; DDP ships rank 0's weights to the others."""
    if rank == 0:
        if checkpoint is not None:
            model.load_state_dict(torch.load(checkpoint, map_location="cpu"))
        model.head = nn.Linear(36, classes)
    return model


def options():
    p = argparse.ArgumentParser()
    p.add_argument("--pretrained", default=None)
    p.add_argument("--pretrained-classes", type=int, default=100)
    p.add_argument("--classes", type=int, default=6)
    p.add_argument("--epochs", type=int, default=2)
    return p.parse_args()


def main():
    args = options()
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    model = adapt(Backbone(args.pretrained_classes), args.pretrained, args.classes, dist.get_rank()).to(device)
    ddp = DDP(model, device_ids=[local_rank] if cuda else None)
    opt = torch.optim.AdamW(ddp.parameters(), lr=5e-4)
    x = torch.randn(384, 18, generator=torch.Generator().manual_seed(6))
    data = TensorDataset(x, x[:, :6].argmax(1))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for a, b in loader:
            opt.zero_grad()
            nn.functional.cross_entropy(ddp(a.to(device)), b.to(device)).backward()
            opt.step()
    if dist.get_rank() == 0:
        torch.save(model.state_dict(), "adapted.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
