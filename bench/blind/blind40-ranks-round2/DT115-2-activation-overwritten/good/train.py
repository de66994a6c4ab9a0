import os

import torch
import torch.distributed as dist
import torch.nn as nn

from pipe import Stage

MICRO, WIDTH = 16, 40


def micro_batches(count, seed=70):
    g = torch.Generator().manual_seed(seed)
    for _ in range(count):
        x = torch.randn(MICRO, WIDTH, generator=g)
        yield x, x.cumsum(dim=1)


def main(steps=60):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    assert world == 2, "this pipeline has two stages"
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(rank)
    net = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.Tanh(), nn.Linear(WIDTH, WIDTH)).to(device)
    opt = torch.optim.Adam(net.parameters(), lr=2e-3)
    stage = Stage(net, rank, (MICRO, WIDTH), device)
    for step, (x, y) in enumerate(micro_batches(steps)):
        opt.zero_grad()
        if rank == 0:
            stage.first(x.to(device))
        else:
            loss = stage.second(y.to(device))
            if step % 20 == 0:
                print(f"{step}: {loss.item():.4f}")
        opt.step()
    torch.save(net.state_dict(), f"stage{rank}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
