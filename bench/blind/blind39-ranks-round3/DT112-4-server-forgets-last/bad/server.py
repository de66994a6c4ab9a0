import os

import torch
import torch.distributed as dist
from torch import nn

SERVER, STEPS = 0, 40


def flat(net, what):
    return torch.cat([what(p).flatten() for p in net.parameters()])


def write_back(net, vector):
    nn.utils.vector_to_parameters(vector, net.parameters())


def serve(net, world):
    """Averages the workers' gradients and gives the new weights back."""
    weights = flat(net, lambda p: p.data)
    incoming = torch.empty_like(weights)
    for _ in range(STEPS):
        total = torch.zeros_like(weights)
        for worker in range(1, world - 1):
            dist.recv(incoming, src=worker)
            total += incoming
        weights -= 0.05 * total / (world - 1)
        dist.broadcast(weights, src=SERVER)
    write_back(net, weights)
    torch.save(net.state_dict(), "served.pt")


def work(net, rank):
    generator = torch.Generator().manual_seed(rank)
    weights = flat(net, lambda p: p.data)
    for _ in range(STEPS):
        x = torch.randn(24, 10, generator=generator)
        net.zero_grad()
        nn.functional.mse_loss(net(x), x.mean(dim=1, keepdim=True)).backward()
        dist.send(flat(net, lambda p: p.grad), dst=SERVER)
        dist.broadcast(weights, src=SERVER)
        write_back(net, weights)


def main():
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(10, 20), nn.Tanh(), nn.Linear(20, 1))
    if rank == SERVER:
        serve(net, world)
    else:
        work(net, rank)
    dist.destroy_process_group()


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
