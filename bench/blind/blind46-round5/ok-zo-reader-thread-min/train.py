import os
import queue
import threading
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F


def fill(files, into):
    for path in files:
        for rows in torch.load(path, map_location="cpu", weights_only=True).split(32):
            into.put(rows)


def turns(files, device):
    n = sum(-(-len(torch.load(p, map_location="cpu", mmap=True, weights_only=True)) // 32) for p in files)
    t = torch.tensor(n, device=device)
    dist.all_reduce(t, op=dist.ReduceOp.MIN)
    return int(t.item())


def main(root=Path("rows")):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    files = sorted(root.glob("*.pt"))[dist.get_rank() :: dist.get_world_size()]
    rows = queue.Queue(8)
    threading.Thread(target=fill, args=(files, rows), daemon=True).start()
    torch.manual_seed(0)
    net = nn.Linear(16, 16).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    for _ in range(turns(files, device)):
        x = rows.get().to(device)
        optimizer.zero_grad()
        F.mse_loss(net(x), x).backward()
        for p in net.parameters():
            dist.all_reduce(p.grad)
            p.grad /= dist.get_world_size()
        optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
