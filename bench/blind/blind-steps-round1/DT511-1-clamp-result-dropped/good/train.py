import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from guard import limit_gradients


class Forecaster(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.rnn = nn.GRU(4, hidden, batch_first=True)
        self.head = nn.Linear(hidden, 1)

    def forward(self, series):
        states, _ = self.rnn(series)
        return self.head(states[:, -1])


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DistributedDataParallel(Forecaster().to(device), device_ids=[local] if cuda else None)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    g = torch.Generator().manual_seed(8)
    data = TensorDataset(torch.randn(1024, 12, 4, generator=g), 100 * torch.randn(1024, 1, generator=g))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for series, target in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(series.to(device)), target.to(device)).backward()
            limit_gradients(model, 1.0)
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
