import os

import torch
import torch.distributed as dist
import torch.nn as nn

from zero import ShardedSGD


def main(steps=150):
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(10, 50), nn.ReLU(), nn.Linear(50, 1)).cuda()
    opt = ShardedSGD(net, lr=0.02)
    gen = torch.Generator().manual_seed(60 + dist.get_rank())
    for step in range(steps):
        x = torch.randn(64, 10, generator=gen).cuda()
        loss = nn.functional.mse_loss(net(x), x.abs().sum(1, keepdim=True))
        net.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "abs.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
