import os
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from history import History


def init_distributed():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    return torch.device("cuda", local_rank) if cuda else torch.device("cpu")


def main():
    device = init_distributed()
    torch.manual_seed(0)
    net = nn.Linear(12, 3).to(device)
    model = DDP(net, device_ids=[device.index] if device.type == "cuda" else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(600, 12, generator=torch.Generator().manual_seed(6))
    data = TensorDataset(x, x[:, :3].argmax(1))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=25, sampler=sampler, drop_last=True)
    history = History(Path("history.json"))
    for epoch in range(4):
        sampler.set_epoch(epoch)
        running = torch.zeros((), device=device)
        for bx, by in loader:
            optimizer.zero_grad(set_to_none=True)
            loss = F.cross_entropy(model(bx.to(device)), by.to(device))
            loss.backward()
            optimizer.step()
            running += loss.detach()
        mean = running / len(loader)
        dist.all_reduce(mean)
        history.add(loss=mean / dist.get_world_size(), lr=optimizer.param_groups[0]["lr"])
        if dist.get_rank() == 0:
            history.flush()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
