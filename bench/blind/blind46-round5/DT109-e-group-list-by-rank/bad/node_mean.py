import os

import torch
import torch.distributed as dist


def peers(rank, per_node):
    first = rank - rank % per_node
    return list(range(first, first + per_node))


def node_group(per_node):
    rank, world = dist.get_rank(), dist.get_world_size()
    mine = peers(rank, per_node)
    return dist.new_group(mine), mine


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    per_node = int(os.environ["LOCAL_WORLD_SIZE"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    group, ranks = node_group(per_node)
    x = torch.ones(3, device="cuda" if cuda else "cpu") * dist.get_rank()
    dist.all_reduce(x, group=group)
    x /= len(ranks)
    dist.all_reduce(x)
    if dist.get_rank() == 0:
        print(x.tolist())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
