import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from tracking import tracked

PARAMS = {"lr": 0.05, "batch": 32}


def start():
    gpu = torch.cuda.is_available()
    if gpu:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if gpu else "gloo")
    return torch.device("cuda", torch.cuda.current_device()) if gpu else torch.device("cpu")


def main():
    device = start()
    torch.manual_seed(0)
    model = DDP(nn.Linear(15, 1).to(device))
    optimizer = torch.optim.SGD(model.parameters(), lr=PARAMS["lr"])
    x = torch.randn(640, 15, generator=torch.Generator().manual_seed(4))
    data = TensorDataset(x, x.median(1).values)
    sampler = DistributedSampler(data)
    loader = DataLoader(data, PARAMS["batch"], sampler=sampler)
    with tracked("median", PARAMS) as log:
        for epoch in range(3):
            sampler.set_epoch(epoch)
            seen = torch.zeros(2, device=device)
            for rows, target in loader:
                loss = F.mse_loss(model(rows.to(device))[:, 0], target.to(device))
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                seen += torch.stack([loss.detach(), torch.ones((), device=device)])
            dist.all_reduce(seen)
            log(train_loss=(seen[0] / seen[1]).item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
