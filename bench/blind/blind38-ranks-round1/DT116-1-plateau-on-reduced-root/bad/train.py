import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.optim.lr_scheduler import ReduceLROnPlateau
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def field(n=2400, seed=4):
    gen = torch.Generator().manual_seed(seed)
    x = torch.rand(n, 2, generator=gen) * 4 - 2
    return TensorDataset(x, (x.prod(dim=1, keepdim=True)).sin())


@torch.no_grad()
def validation_loss(model, loader, device):
    model.eval()
    tally = torch.zeros(2, device=device)
    for x, y in loader:
        tally[0] += F.mse_loss(model(x.to(device)), y.to(device), reduction="sum")
        tally[1] += len(x)
    model.train()
    dist.reduce(tally, dst=0)
    return (tally[0] / tally[1]).item()


def loaders(batch_size):
    train, valid = field(), field(600, seed=44)
    sampler = DistributedSampler(train, seed=1, drop_last=True)
    return (
        DataLoader(train, batch_size=batch_size, sampler=sampler, drop_last=True),
        DataLoader(valid, batch_size=100, sampler=DistributedSampler(valid, shuffle=False)),
    )


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(9)
    net = nn.Sequential(nn.Linear(2, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    plateau = ReduceLROnPlateau(opt, factor=0.5, patience=2)
    train, valid = loaders(batch_size=40)
    for epoch in range(30):
        train.sampler.set_epoch(epoch)
        for x, y in train:
            opt.zero_grad()
            F.mse_loss(model(x.to(device)), y.to(device)).backward()
            opt.step()
        loss = validation_loss(model, valid, device)
        plateau.step(loss)
        if dist.get_rank() == 0:
            print(f"epoch {epoch}  loss {loss:.5f}  lr {opt.param_groups[0]['lr']:.2e}")
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "field.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
