import os

import torch
import torch.distributed as dist


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    rank, world = dist.get_rank(), dist.get_world_size()
    first = dist.new_group(list(range(world // 2)))
    second = dist.new_group(list(range(world // 2, world)))
    group = first if rank < world // 2 else second
    load = torch.tensor(float(rank), device="cuda")
    dist.all_reduce(load, group=group)
    print(rank, load.item())
    dist.barrier()
    dist.destroy_process_group()
    return second


if __name__ == "__main__":
    main()
