import os

import torch
import torch.distributed as dist


def ring_average(tensor, turns=None):
    """Passes the partial sums once around the ring."""
    rank, world = dist.get_rank(), dist.get_world_size()
    right, left = (rank + 1) % world, (rank - 1) % world
    total, moving = tensor.clone(), tensor.clone()
    incoming = torch.empty_like(tensor)
    for _ in range(turns or world - 1):
        dist.send(moving, dst=right)
        dist.recv(incoming, src=left)
        total += incoming
        moving.copy_(incoming)
    return total / world


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    gen = torch.Generator().manual_seed(dist.get_rank())
    weight = torch.randn(5_000_000, generator=gen).to(device)
    for _ in range(3):
        weight = ring_average(weight)
    if dist.get_rank() == 0:
        print(weight.std().item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
