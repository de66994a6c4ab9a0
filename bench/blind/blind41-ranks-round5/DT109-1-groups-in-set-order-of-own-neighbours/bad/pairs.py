import os

import torch
import torch.distributed as dist


def pair_groups():
    rank, world = dist.get_rank(), dist.get_world_size()
    groups = {}
    for other in ((rank - 1) % world, (rank + 1) % world):
        pair = tuple(sorted((rank, other)))
        groups[pair] = dist.new_group(list(pair))
    return groups


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    groups = pair_groups()
    print(dist.get_rank(), sorted(groups))
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
