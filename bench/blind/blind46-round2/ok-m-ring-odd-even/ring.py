import os

import torch
import torch.distributed as dist


def exchange(block, rank, world):
    right, left = (rank + 1) % world, (rank - 1) % world
    incoming = torch.empty_like(block)
    if rank % 2 == 0:
        dist.send(block, right)
        dist.recv(incoming, left)
    else:
        dist.recv(incoming, left)
        dist.send(block, right)
    return incoming


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    if world % 2:
        raise SystemExit("an even number of ranks is needed")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    block = torch.full((4,), float(rank), device=device)
    total = block.clone()
    for _ in range(world - 1):
        block = exchange(block, rank, world)
        total += block
    if rank == 0:
        print(total)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
