import os

import torch
import torch.distributed as dist


def report(stat, node):
    match node:
        case 0:
            dist.all_reduce(stat)
            print(f"total {stat.item():.1f}")
        case _:
            print(f"node {node} has {stat.item():.1f}")


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    node = int(os.environ["GROUP_RANK"])
    gen = torch.Generator(device="cuda").manual_seed(dist.get_rank())
    stat = torch.rand(1, generator=gen, device="cuda").sum()
    report(stat, node)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
