import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

DEPTH_EVERY = 2


class MultiTask(nn.Module):
    def __init__(self, dim=32):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(dim, 64), nn.ReLU())
        self.label_head = nn.Linear(64, 5)
        self.depth_head = nn.Linear(64, 1)

    def forward(self, x, with_depth):
        hidden = self.trunk(x)
        out = {"label": self.label_head(hidden)}
        if with_depth:
            out["depth"] = self.depth_head(hidden).squeeze(-1)
        return out


def criterion(out, label, depth):
    loss = F.cross_entropy(out["label"], label)
    if "depth" in out:
        loss = loss + 0.5 * F.l1_loss(out["depth"], depth)
    return loss


def scenes(n=2000):
    gen = torch.Generator().manual_seed(14)
    x = torch.randn(n, 32, generator=gen)
    return TensorDataset(x, x[:, :5].argmax(1), x[:, 5:9].sum(1))


def main(epochs=3):
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = MultiTask().to(device)
    model = DDP(net, device_ids=[local] if cuda else None)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    data = scenes()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=50, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for i, batch in enumerate(loader):
            x, label, depth = (t.to(device) for t in batch)
            out = model(x, with_depth=i % DEPTH_EVERY == 0)
            opt.zero_grad()
            criterion(out, label, depth).backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
