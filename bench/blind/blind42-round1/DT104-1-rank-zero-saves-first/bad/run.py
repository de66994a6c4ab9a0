import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from report import EpochReport


def synthetic(n=2048, seed=3):
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 12, generator=g)
    return TensorDataset(x, (x[:, 0] * x[:, 1]).unsqueeze(1))


def main(epochs=3):
    dist.init_process_group("gloo")
    data = synthetic()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 32, sampler=sampler, drop_last=True)
    model = DDP(nn.Sequential(nn.Linear(12, 48), nn.Tanh(), nn.Linear(48, 1)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    report = EpochReport()
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            report.add(loss, len(x))
        report.close()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
