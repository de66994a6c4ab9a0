import os

import torch
import torch.distributed as dist
import torch.nn as nn


def main():
    local_rank, local_world = int(os.environ["LOCAL_RANK"]), int(os.environ["LOCAL_WORLD_SIZE"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    node, _ = dist.new_subgroups(local_world)
    leaders = dist.new_group(list(range(0, dist.get_world_size(), local_world)))
    lead = dist.get_rank() - local_rank
    torch.manual_seed(0)
    net = nn.Linear(10, 10).cuda()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    gen = torch.Generator(device="cuda").manual_seed(dist.get_rank())
    for _ in range(20):
        x = torch.randn(8, 10, generator=gen, device="cuda")
        opt.zero_grad()
        (net(x) - x).pow(2).mean().backward()
        for p in net.parameters():
            dist.reduce(p.grad, dst=lead, group=node)
            if local_rank == 0:
                dist.all_reduce(p.grad, group=leaders)
                p.grad /= dist.get_world_size()
            dist.broadcast(p.grad, src=lead, group=node)
        opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
