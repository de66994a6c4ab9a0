import os
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed.algorithms.join import Join
from torch.nn.parallel import DistributedDataParallel as DDP


def own(files, rank, world):
    return [f for i, f in enumerate(files) if i % world == rank]


@torch.no_grad()
def held_out_error(net, file, device):
    rows = torch.from_numpy(np.load(file)).to(device)
    return nn.functional.mse_loss(net(rows[:, :-1]), rows[:, -1:])


def main(folder="/data/steps", epochs=5):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    *files, held = sorted(Path(folder).glob("*.npy"))
    mine = own(files, rank, world)
    net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    best = float("inf")
    for epoch in range(epochs):
        with Join([model]):
            for file in mine:
                rows = torch.from_numpy(np.load(file)).to(device)
                loss = nn.functional.mse_loss(model(rows[:, :-1]), rows[:, -1:])
                optimizer.zero_grad(set_to_none=True)
                loss.backward()
                optimizer.step()
        error = held_out_error(net, held, device)
        dist.all_reduce(error, op=dist.ReduceOp.AVG)
        if error.item() < best:
            best = error.item()
            if rank == 0:
                torch.save(net.state_dict(), "best.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
