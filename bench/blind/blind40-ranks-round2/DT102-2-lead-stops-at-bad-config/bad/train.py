import os
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from runs import Settings, open_run


def mlp(s, inputs=15):
    layers, width = [], inputs
    for _ in range(s.depth):
        layers += [nn.Linear(width, s.width), nn.ReLU()]
        width = s.width
    return nn.Sequential(*layers, nn.Linear(width, 1))


def main():
    s = Settings()
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    run = open_run(s, Path(os.environ.get("RUNS", "runs")) / "mlp")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(mlp(s).to(device), device_ids=[local_rank] if cuda else None)
    opt = torch.optim.Adam(model.parameters(), lr=s.lr)
    x = torch.randn(800, 15, generator=torch.Generator().manual_seed(4))
    data = TensorDataset(x, x.square().sum(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, s.batch, sampler=sampler, drop_last=True)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for xb, yb in loader:
            opt.zero_grad()
            nn.functional.mse_loss(model(xb.to(device)), yb.to(device)).backward()
            opt.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), f"{run}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
