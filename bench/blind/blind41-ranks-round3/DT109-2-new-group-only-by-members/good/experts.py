import os

import torch
import torch.distributed as dist


def expert_groups(experts):
    rank, world = dist.get_rank(), dist.get_world_size()
    mine = None
    for expert in range(experts):
        ranks = list(range(expert, world, experts))
        group = dist.new_group(ranks)
        if rank in ranks:
            mine = group
    return mine


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    group = expert_groups(2)
    load = torch.tensor(float(dist.get_rank()), device=device)
    dist.all_reduce(load, group=group)
    print(dist.get_rank(), load.item())
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
