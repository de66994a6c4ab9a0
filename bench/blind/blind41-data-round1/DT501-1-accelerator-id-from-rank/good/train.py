import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from engine import start


def main(epochs=2):
    process = start()
    torch.manual_seed(0)
    x = torch.randn(10_000, 32)
    data = TensorDataset(x, x.mean(1, keepdim=True))
    sampler = DistributedSampler(data, num_replicas=process.world_size, rank=process.rank)
    loader = DataLoader(data, batch_size=128, sampler=sampler, drop_last=True, pin_memory=True)
    model = DDP(nn.Linear(32, 1).to(process.device), device_ids=[process.device])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for xb, yb in loader:
            xb, yb = xb.to(process.device), yb.to(process.device)
            optimizer.zero_grad()
            nn.functional.mse_loss(model(xb), yb).backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
