import os

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset


def rows_of(rank):
    with np.load(f"/shared/parts/{rank:03d}.npz") as part:
        return TensorDataset(torch.from_numpy(part["x"]), torch.from_numpy(part["y"]))


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    device = torch.device("cuda", local_rank)
    data = rows_of(dist.get_rank())
    loader = DataLoader(data, batch_size=32, shuffle=True, drop_last=True)
    steps = len(loader)
    torch.manual_seed(0)
    model = DDP(nn.Linear(20, 1).to(device), device_ids=[local_rank])
    opt = torch.optim.SGD(model.parameters(), lr=0.01)
    for epoch in range(3):
        batches = iter(loader)
        for _ in range(steps):
            x, y = next(batches)
            loss = (model(x.to(device)) - y.to(device)).pow(2).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
