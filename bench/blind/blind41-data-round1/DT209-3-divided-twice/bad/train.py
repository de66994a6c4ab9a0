import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from settings import Settings


def loader_for(data, batch_size):
    sampler = DistributedSampler(data, shuffle=True)
    batch_size = batch_size // dist.get_world_size()
    return DataLoader(data, batch_size=batch_size, sampler=sampler, drop_last=True)


def main():
    settings = Settings()
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    x = torch.randn(8192, 10)
    loader = loader_for(TensorDataset(x, x.std(1)), settings.batch_per_process)
    model = DDP(nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1)))
    optimizer = torch.optim.SGD(model.parameters(), lr=settings.lr)
    for epoch in range(settings.epochs):
        loader.sampler.set_epoch(epoch)
        for xb, yb in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(xb)[:, 0], yb).backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
