import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def main(path="run.pt", epochs=8):
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    x = torch.randn(3000, 10)
    data = TensorDataset(x, x[:, :3].argmax(1))
    sampler = DistributedSampler(data, shuffle=True)
    loader = DataLoader(data, batch_size=30, sampler=sampler, drop_last=True)
    model = DDP(nn.Linear(10, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    first = 0
    if os.path.exists(path):
        saved = torch.load(path, map_location="cpu", weights_only=True)
        model.module.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
        first = saved["epoch"] + 1
    dist.barrier()
    for epoch in range(first, epochs):
        sampler.set_epoch(epoch)
        for xb, yb in loader:
            optimizer.zero_grad()
            F.cross_entropy(model(xb), yb).backward()
            optimizer.step()
        if dist.get_rank() == 0:
            torch.save(
                {"model": model.module.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}, path
            )
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
