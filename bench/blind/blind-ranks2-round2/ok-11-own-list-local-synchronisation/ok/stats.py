import argparse
import os

import torch
import torch.distributed as dist

from layout import node_group


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--per-node", type=int, default=int(os.environ.get("LOCAL_WORLD_SIZE", 1)))
    args = parser.parse_args()
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    group = node_group(args.per_node)
    rows = torch.randn(100, 3, generator=torch.Generator().manual_seed(rank)).to(device)
    sums = torch.stack([rows.sum(0), rows.square().sum(0)])
    dist.all_reduce(sums, group=group)
    count = 100 * dist.get_world_size(group)
    mean = sums[0] / count
    print(f"rank {rank}: node mean {mean.tolist()}")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
