import os

import torch
import torch.distributed as dist
import torch.nn as nn


def trial(rate, seed):
    torch.manual_seed(0)
    net = nn.Linear(8, 8).cuda()
    opt = torch.optim.SGD(net.parameters(), lr=rate)
    gen = torch.Generator(device="cuda").manual_seed(seed)
    for _ in range(50):
        x = torch.randn(16, 8, generator=gen, device="cuda")
        opt.zero_grad()
        loss = (net(x) - x).pow(2).mean()
        loss.backward()
        opt.step()
    return loss.item()


def main(rates=(0.3, 0.1, 0.03, 0.01)):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    losses = torch.tensor([trial(rate, dist.get_rank()) for rate in rates], device="cuda")
    dist.all_reduce(losses)
    rate = rates[int(losses.argmin())]
    torch.manual_seed(1)
    net = nn.parallel.DistributedDataParallel(nn.Linear(8, 8).cuda(), device_ids=[local_rank])
    opt = torch.optim.SGD(net.parameters(), lr=rate)
    gen = torch.Generator(device="cuda").manual_seed(100 + dist.get_rank())
    for _ in range(500):
        x = torch.randn(16, 8, generator=gen, device="cuda")
        opt.zero_grad()
        (net(x) - x).pow(2).mean().backward()
        opt.step()
    if dist.get_rank() == 0:
        print("learning rate", rate)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
