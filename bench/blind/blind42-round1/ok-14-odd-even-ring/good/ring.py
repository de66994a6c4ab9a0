"""Neighbour averaging on a ring (gossip SGD) with blocking sends in odd/even order."""
import torch
import torch.distributed as dist
import torch.nn as nn


def exchange(flat, rank, world):
    left, right = (rank - 1) % world, (rank + 1) % world
    incoming = torch.empty_like(flat)
    if rank % 2 == 0:
        dist.send(flat, dst=right)
        dist.recv(incoming, src=left)
    else:
        dist.recv(incoming, src=left)
        dist.send(flat, dst=right)
    return incoming


def gossip(net, rank, world):
    flat = nn.utils.parameters_to_vector(net.parameters()).detach()
    flat = 0.5 * (flat + exchange(flat, rank, world))
    nn.utils.vector_to_parameters(flat, net.parameters())


def main(steps=100):
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    assert world % 2 == 0, "the ring needs an even number of ranks"
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(10, 32), nn.Tanh(), nn.Linear(32, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    gen = torch.Generator().manual_seed(100 + rank)
    for _ in range(steps):
        x = torch.randn(64, 10, generator=gen)
        loss = (net(x).squeeze(1) - x.sum(1)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        gossip(net, rank, world)
    torch.save(net.state_dict(), f"gossip_{rank}.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
