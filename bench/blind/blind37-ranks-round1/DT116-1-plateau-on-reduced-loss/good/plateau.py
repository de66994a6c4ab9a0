import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.optim.lr_scheduler import ReduceLROnPlateau
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def split(seed, n):
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 14, generator=g)
    return TensorDataset(x, torch.sin(x).sum(1, keepdim=True))


def loaders(batch=16):
    train, valid = split(0, 640), split(1, 128)
    train_sampler = DistributedSampler(train, drop_last=True)
    valid_sampler = DistributedSampler(valid, shuffle=False)
    return (
        DataLoader(train, batch_size=batch, sampler=train_sampler, drop_last=True),
        DataLoader(valid, batch_size=batch, sampler=valid_sampler),
        train_sampler,
    )


@torch.no_grad()
def validate(model, loader, device):
    model.eval()
    acc = torch.zeros(2, device=device)
    for x, y in loader:
        err = nn.functional.mse_loss(model(x.to(device)), y.to(device), reduction="sum")
        acc += torch.stack((err, torch.tensor(float(len(x)), device=device)))
    dist.all_reduce(acc)
    model.train()
    return (acc[0] / acc[1]).item()


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(4)
    net = nn.Sequential(nn.Linear(14, 40), nn.Tanh(), nn.Linear(40, 1)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    plateau = ReduceLROnPlateau(opt, factor=0.5, patience=1)
    train, valid, sampler = loaders()
    for epoch in range(5):
        sampler.set_epoch(epoch)
        for x, y in train:
            loss = nn.functional.mse_loss(model(x.to(device)), y.to(device))
            opt.zero_grad()
            loss.backward()
            opt.step()
        score = validate(model, valid, device)
        plateau.step(score)
        if dist.get_rank() == 0:
            print(f"{epoch}: valid {score:.4f} lr {opt.param_groups[0]['lr']:.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
