import os
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F


def agreed_length(files, device):
    n = torch.tensor(len(files), device=device)
    dist.all_reduce(n, op=dist.ReduceOp.MIN)
    return int(n)


def read(path):
    x = torch.load(path, map_location="cpu", weights_only=True)
    return x, x.std(dim=1, keepdim=True)


def average(params):
    for p in params:
        dist.all_reduce(p.grad)
        p.grad /= dist.get_world_size()


def main(root=Path("chunks")):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    files = sorted(root.glob("*.pt"))[dist.get_rank() :: dist.get_world_size()]
    torch.manual_seed(0)
    net = nn.Linear(12, 1).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    for path in files[: agreed_length(files, device)]:
        x, y = read(path)
        optimizer.zero_grad()
        F.mse_loss(net(x.to(device)), y.to(device)).backward()
        average(list(net.parameters()))
        optimizer.step()
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "net.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
