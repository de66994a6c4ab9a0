import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.runtime as xr
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def data(n, seed):
    x = torch.randn(n, 10, generator=torch.Generator().manual_seed(seed))
    return TensorDataset(x, (x.sum(1) > 0).long())


def accuracy(net, loader, device):
    right = seen = 0
    with torch.no_grad():
        for x, y in pl.MpDeviceLoader(loader, device):
            right += net(x).argmax(1).eq(y).sum().item()
            seen += len(y)
    right, seen = xm.mesh_reduce("right", right, sum), xm.mesh_reduce("seen", seen, sum)
    return right / seen


def worker(index, epochs):
    device = xm.xla_device()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, 2)).to(device)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    train, val = data(1024, 0), data(512, 1)
    sampler = DistributedSampler(train, xr.world_size(), xr.global_ordinal(), shuffle=True, drop_last=True)
    val_sampler = DistributedSampler(val, xr.world_size(), xr.global_ordinal(), shuffle=False)
    loader = DataLoader(train, 32, sampler=sampler, drop_last=True)
    val_loader = DataLoader(val, 64, sampler=val_sampler)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in pl.MpDeviceLoader(loader, device):
            opt.zero_grad()
            nn.functional.cross_entropy(net(x), y).backward()
            xm.optimizer_step(opt)
        acc = accuracy(net, val_loader, device)
        xm.master_print(f"epoch {epoch}: {acc:.3f}")
    xm.save(net.state_dict(), "net.pt")
