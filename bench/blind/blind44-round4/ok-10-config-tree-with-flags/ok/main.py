import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from flags.config import Flags


def images(n, seed):
    x = torch.randn(n, 3, 8, 8, generator=torch.Generator().manual_seed(seed))
    return TensorDataset(x, (x.mean((1, 2, 3)) > 0).long())


def build(flags, device):
    net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 2))
    if flags.sync_bn:
        net = nn.SyncBatchNorm.convert_sync_batchnorm(net)
    net = net.to(device)
    model = DDP(net, device_ids=[device.index] if device.type == "cuda" else None)
    return net, torch.compile(model) if flags.compile else model


@torch.no_grad()
def score(net, loader, device):
    net.eval()
    counts = torch.zeros(2, device=device)
    for x, y in loader:
        counts += torch.stack([(net(x.to(device)).argmax(1) == y.to(device)).sum(), torch.tensor(len(y), device=device)])
    net.train()
    dist.all_reduce(counts)
    return (counts[0] / counts[1]).item()


def main():
    flags = Flags.parse()
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    device = torch.device("cuda", local)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    net, model = build(flags, device)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    train, val = images(2048, 0), images(512, 1)
    sampler = DistributedSampler(train, drop_last=True)
    loader = DataLoader(train, 64, sampler=sampler, drop_last=True)
    val_loader = DataLoader(val, 64, sampler=DistributedSampler(val, shuffle=False))
    for epoch in range(flags.epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            opt.zero_grad()
            nn.functional.cross_entropy(model(x.to(device)), y.to(device)).backward()
            opt.step()
        if flags.evaluate:
            accuracy = score(net, val_loader, device)
            if dist.get_rank() == 0:
                print(epoch, accuracy)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
