import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

import cluster


class TwoStages(nn.Module):
    """The lower half on the first visible device, the upper one on the second."""

    def __init__(self, width=512):
        super().__init__()
        self.lower = nn.Sequential(nn.Linear(64, width), nn.ReLU()).to("cuda:0")
        self.upper = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1)).to("cuda:1")

    def forward(self, x):
        return self.upper(self.lower(x.to("cuda:0")).to("cuda:1")).squeeze(-1)


def main(epochs=4):
    local_rank = int(os.environ["LOCAL_RANK"])
    print(f"local rank {local_rank}:", *cluster.describe())
    cluster.restrict(local_rank, per_process=2)
    dist.init_process_group("nccl")
    torch.cuda.set_device(0)
    torch.manual_seed(0)
    model = DistributedDataParallel(TwoStages())
    optimizer = torch.optim.AdamW(model.parameters())
    table = torch.load("table.pt", map_location="cpu")
    data = TensorDataset(table["x"], table["y"])
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 128, sampler=sampler, drop_last=True, num_workers=2)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x), y.to("cuda:1"))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
