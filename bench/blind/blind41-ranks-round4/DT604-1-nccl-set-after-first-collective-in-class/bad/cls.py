import os

import torch
import torch.distributed as dist
import torch.nn as nn


class Trainer:
    def __init__(self):
        self.local_rank = int(os.environ["LOCAL_RANK"])
        torch.cuda.set_device(self.local_rank)
        dist.init_process_group("nccl")
        torch.manual_seed(0)
        self.net = nn.Linear(10, 10).cuda()
        for p in self.net.parameters():
            dist.broadcast(p.data, src=0)
        self.tune()

    def tune(self):
        os.environ["NCCL_P2P_DISABLE"] = "1"

    def run(self, steps=20):
        opt = torch.optim.SGD(self.net.parameters(), lr=0.1)
        gen = torch.Generator(device="cuda").manual_seed(dist.get_rank())
        for _ in range(steps):
            x = torch.randn(8, 10, generator=gen, device="cuda")
            opt.zero_grad()
            (self.net(x) - x).pow(2).mean().backward()
            for p in self.net.parameters():
                dist.all_reduce(p.grad, op=dist.ReduceOp.AVG)
            opt.step()
        dist.destroy_process_group()


if __name__ == "__main__":
    Trainer().run()
