import os

import torch
import torch.distributed as dist


def partition(world, size):
    return [list(range(at, at + size)) for at in range(0, world, size)]


def build(world, rank, size):
    own = None
    for ranks in partition(world, size):
        group = dist.new_group(ranks)
        if rank in ranks:
            own = group, ranks
    if own is None:
        raise ValueError(f"rank {rank} is in no group of {size}")
    return own


def main(size=2):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    group, ranks = build(world, rank, size)
    value = torch.full((4,), float(rank), device=device)
    dist.all_reduce(value, group=group)
    root = ranks[0]
    note = torch.zeros(4, device=device)
    if rank == root:
        note.copy_(value / len(ranks))
    dist.broadcast(note, src=root, group=group)
    every = [torch.zeros_like(note) for _ in range(world)]
    dist.all_gather(every, note)
    if rank == 0:
        print(torch.stack(every))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
