import itertools

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def main(epochs=2):
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    encoder = DDP(nn.Sequential(nn.Linear(20, 64), nn.ReLU()))
    projector = nn.Linear(64, 8)
    optimizer = torch.optim.Adam(itertools.chain(encoder.parameters(), projector.parameters()), lr=1e-3)
    x = torch.randn(4000, 20)
    data = TensorDataset(x, x[:, :8])
    sampler = DistributedSampler(data)
    loader = DataLoader(data, batch_size=40, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for xb, yb in loader:
            optimizer.zero_grad()
            F.mse_loss(projector(encoder(xb)), yb).backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
