import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def train(model, loader, optimizer, scheduler, every):
    micro = 0
    for x, y in loader:
        micro += 1
        if micro < every:
            with model.no_sync():
                (F.mse_loss(model(x), y) / every).backward()
            continue
        (F.mse_loss(model(x), y) / every).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        scheduler.step()
        micro = 0


def main(epochs=4, every=4):
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    x = torch.randn(8192, 9)
    data = TensorDataset(x, x.sum(1, keepdim=True))
    sampler = DistributedSampler(data, shuffle=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    model = DDP(nn.Sequential(nn.Linear(9, 32), nn.Tanh(), nn.Linear(32, 1)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs * len(loader) // every)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        train(model, loader, optimizer, scheduler, every)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
