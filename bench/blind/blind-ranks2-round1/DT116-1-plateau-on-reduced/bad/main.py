import os

import torch
import torch.distributed as dist
from torch import nn, optim
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset, random_split
from torch.utils.data.distributed import DistributedSampler

from engine import evaluate, train_one_epoch


def loaders(batch):
    g = torch.Generator().manual_seed(21)
    x = torch.randn(640, 10, generator=g)
    full = TensorDataset(x, x.sum(dim=1, keepdim=True))
    train, valid = random_split(full, [512, 128], generator=torch.Generator().manual_seed(1))
    train_sampler = DistributedSampler(train, drop_last=True)
    valid_sampler = DistributedSampler(valid, shuffle=False)
    return (
        DataLoader(train, batch, sampler=train_sampler, drop_last=True),
        DataLoader(valid, batch, sampler=valid_sampler),
        train_sampler,
    )


def main():
    gpu = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if gpu:
        torch.cuda.set_device(local_rank)
    device = torch.device(f"cuda:{local_rank}" if gpu else "cpu")
    dist.init_process_group("nccl" if gpu else "gloo")
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1)).to(device)
    model = DistributedDataParallel(model, device_ids=[local_rank] if gpu else None)
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    scheduler = optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=0)
    criterion = nn.MSELoss()
    train, valid, sampler = loaders(32)
    for epoch in range(5):
        sampler.set_epoch(epoch)
        train_one_epoch(model, train, criterion, optimizer, device)
        val_loss = evaluate(model, valid, criterion, device)
        scheduler.step(val_loss)
        if dist.get_rank() == 0:
            print(f"epoch {epoch}: val {val_loss:.4f} lr {scheduler.get_last_lr()[0]:.4g}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
