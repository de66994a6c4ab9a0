import torch
import torch.distributed as dist
import yaml
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import BatchSampler, DataLoader, DistributedSampler, TensorDataset

CONFIG = """
loader:
  num_workers: 2
  pin_memory: false
model:
  width: 32
"""


def build_loader(data, options, batch_size):
    sampler = DistributedSampler(data, shuffle=True)
    batches = BatchSampler(sampler, batch_size, drop_last=True)
    return DataLoader(data, batch_sampler=batches, shuffle=True, **options), sampler


def main(epochs=2):
    config = yaml.safe_load(CONFIG)
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    x = torch.randn(3000, 8)
    loader, sampler = build_loader(TensorDataset(x, x.amax(1)), config["loader"], 25)
    model = DDP(nn.Sequential(nn.Linear(8, config["model"]["width"]), nn.ReLU(), nn.Linear(config["model"]["width"], 1)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for xb, yb in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(xb)[:, 0], yb).backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
