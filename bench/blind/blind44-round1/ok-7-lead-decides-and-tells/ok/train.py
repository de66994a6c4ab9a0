import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from stop import Judge


@torch.no_grad()
def mean_error(net, loader, device):
    acc = torch.zeros(2, device=device, dtype=torch.float64)
    for x, y in loader:
        acc += torch.stack([(net(x.to(device)) - y.to(device)).abs().sum(), torch.tensor(float(len(x)), device=device)]).double()
    dist.all_reduce(acc)
    return (acc[0] / acc[1]).item()


def main():
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(4)
    net = nn.Linear(3, 1).to(device)
    model = DDP(net, device_ids=[device.index] if cuda else None)
    opt = torch.optim.SGD(model.parameters(), 0.05)
    x = torch.randn(512, 3, generator=torch.Generator().manual_seed(1))
    train, val = TensorDataset(x[:384], x[:384, :1]), TensorDataset(x[384:], x[384:, :1])
    sampler = DistributedSampler(train, drop_last=True)
    loader = DataLoader(train, 16, sampler=sampler, drop_last=True)
    val_loader = DataLoader(val, 32, sampler=DistributedSampler(val, shuffle=False))
    judge = Judge(3, device)
    for epoch in range(100):
        sampler.set_epoch(epoch)
        for a, b in loader:
            opt.zero_grad()
            nn.functional.mse_loss(model(a.to(device)), b.to(device)).backward()
            opt.step()
        if judge.verdict(mean_error(net, val_loader, device)):
            break
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
