import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from best import BestKeeper
from evaluate import accuracy


def split(n, seed):
    x = torch.randn(n, 16, generator=torch.Generator().manual_seed(seed))
    return TensorDataset(x, (x[:, ::2].sum(1) > x[:, 1::2].sum(1)).long())


def main(epochs=5):
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 2)).to(device)
    model = DDP(net, device_ids=[device.index] if cuda else None)
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    train, val = split(1024, 0), split(512, 1)
    sampler = DistributedSampler(train, drop_last=True)
    loader = DataLoader(train, 32, sampler=sampler, drop_last=True)
    val_loader = DataLoader(val, 64, sampler=DistributedSampler(val, shuffle=False))
    keeper = BestKeeper("best.pt")
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        model.train()
        for x, y in loader:
            opt.zero_grad()
            F.cross_entropy(model(x.to(device)), y.to(device)).backward()
            opt.step()
        acc = accuracy(net, val_loader, device)
        if dist.get_rank() == 0:
            keeper.offer(acc, net)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
