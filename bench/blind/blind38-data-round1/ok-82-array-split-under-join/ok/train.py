"""Documents differ in number from rank to rank; the Join context lets the early ones shadow the rest."""
import os

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.join import Join
from torch.nn.parallel import DistributedDataParallel as DDP


def documents(count=301, width=64):
    rng = np.random.default_rng(5)
    return [rng.standard_normal((int(length), width)).astype("float32") for length in rng.integers(4, 12, count)]


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)

    corpus = documents()
    net = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 64)).to(device)
    model = DDP(net, device_ids=[local] if cuda else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    for epoch in range(3):
        order = np.random.default_rng(epoch).permutation(len(corpus))
        mine = np.array_split(order, world)[rank]
        summed = torch.zeros(2, device=device)
        with Join([model]):
            for index in mine:
                x = torch.from_numpy(corpus[index]).to(device)
                loss = nn.functional.mse_loss(model(x), x)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                summed += torch.stack([loss.detach(), torch.ones((), device=device)])
        dist.all_reduce(summed)
        if rank == 0:
            print(epoch, (summed[0] / summed[1]).item(), flush=True)
    if rank == 0:
        torch.save(net.state_dict(), "documents.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
