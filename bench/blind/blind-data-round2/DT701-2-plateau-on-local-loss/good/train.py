import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.optim.lr_scheduler import ReduceLROnPlateau
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def start():
    gpu = torch.cuda.is_available()
    if gpu:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if gpu else "gloo")
    return torch.device("cuda", torch.cuda.current_device()) if gpu else torch.device("cpu")


def cut(seed, rows, train):
    x = torch.randn(rows, 6, generator=torch.Generator().manual_seed(seed))
    data = TensorDataset(x, x.exp().mean(1, keepdim=True))
    sampler = DistributedSampler(data, shuffle=train, drop_last=train)
    return DataLoader(data, batch_size=16, sampler=sampler, drop_last=train)


@torch.no_grad()
def valid_loss(net, loader, device):
    total = torch.zeros((), device=device)
    for x, y in loader:
        total += F.mse_loss(net(x.to(device)), y.to(device))
    mean = total / len(loader)
    dist.all_reduce(mean)
    return (mean / dist.get_world_size()).item()


def main():
    device = start()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(6, 24), nn.GELU(), nn.Linear(24, 1)).to(device)
    model = DDP(net)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2, momentum=0.9)
    plateau = ReduceLROnPlateau(optimizer, factor=0.5, patience=1)
    train, valid = cut(0, 640, True), cut(1, 128, False)
    for epoch in range(4):
        train.sampler.set_epoch(epoch)
        for x, y in train:
            loss = F.mse_loss(model(x.to(device)), y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        measured = valid_loss(net, valid, device)
        plateau.step(measured)
    if dist.get_rank() == 0:
        torch.save({"net": net.state_dict(), "lr": plateau.get_last_lr()}, "exp.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
