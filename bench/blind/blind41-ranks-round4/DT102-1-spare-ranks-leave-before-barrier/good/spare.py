import os
import sys

import torch
import torch.distributed as dist


def use(count):
    world = dist.get_world_size()
    return world - world % count


def main(tile=4):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    used = max(use(tile), dist.get_world_size() - 1)
    active = dist.new_group(list(range(used)))
    if dist.get_rank() >= dist.get_world_size() - 1:
        print("rank", dist.get_rank(), "is not needed")
    gen = torch.Generator(device="cuda").manual_seed(dist.get_rank())
    x = torch.randn(1000, generator=gen, device="cuda")
    dist.barrier()
    print(dist.get_rank(), x.norm().item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
