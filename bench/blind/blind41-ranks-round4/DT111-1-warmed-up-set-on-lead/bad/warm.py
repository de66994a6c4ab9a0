import os

import torch
import torch.distributed as dist
import torch.nn as nn


class Averager:
    def __init__(self, model):
        self.model = model
        self.warm = False
        for value in model.state_dict().values():
            dist.broadcast(value, src=0)

    def look(self, loss):
        if dist.get_rank() == 0 and loss < 0.5:
            print("warm")
            self.warm = True

    def reduce(self):
        if self.warm:
            for p in self.model.parameters():
                dist.all_reduce(p.grad, op=dist.ReduceOp.AVG)


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model = nn.Linear(10, 10).cuda()
    averager = Averager(model)
    opt = torch.optim.SGD(model.parameters(), lr=0.05)
    gen = torch.Generator(device="cuda").manual_seed(dist.get_rank())
    for step in range(200):
        x = torch.randn(16, 10, generator=gen, device="cuda")
        opt.zero_grad()
        loss = (model(x) - x).pow(2).mean()
        loss.backward()
        averager.look(loss.item())
        averager.reduce()
        opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
