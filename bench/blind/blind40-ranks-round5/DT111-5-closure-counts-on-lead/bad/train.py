import os

import torch
import torch.distributed as dist
import torch.nn as nn


def periodic_sync(net, rank, world, period):
    """Local SGD: average the weights after every `period` updates."""
    updates = 0

    @torch.no_grad()
    def after_update(loss):
        nonlocal updates
        if rank == 0:
            updates += 1
            if updates % 20 == 0:
                print(f"update {updates}: {loss.item():.4f}")
        if updates and updates % period == 0:
            for p in net.parameters():
                dist.all_reduce(p.data)
                p.data /= world

    return after_update


def main(steps=200):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1)).to(device)
    opt = torch.optim.SGD(net.parameters(), lr=0.02)
    after_update = periodic_sync(net, rank, world, period=8)
    gen = torch.Generator().manual_seed(30 + rank)
    for _ in range(steps):
        x = torch.randn(16, 8, generator=gen).to(device)
        loss = nn.functional.mse_loss(net(x), x.sum(1, keepdim=True).sin())
        opt.zero_grad()
        loss.backward()
        opt.step()
        after_update(loss)
    if rank == 0:
        torch.save(net.state_dict(), "sin.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
