import os

import torch
import torch.distributed as dist
from torch import nn


class LocalSGD:
    """Every rank trains alone; parameters are averaged every `period` steps."""

    def __init__(self, model, optimizer, period=16):
        self.model, self.optimizer, self.period = model, optimizer, period
        self.world = dist.get_world_size()
        self.count = 0
        with torch.no_grad():
            for p in model.parameters():
                dist.broadcast(p, src=0)

    def step(self):
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.count += 1
        if self.count % self.period == 0:
            self.average()

    @torch.no_grad()
    def average(self):
        for p in self.model.parameters():
            dist.all_reduce(p, op=dist.ReduceOp.SUM)
            p.div_(self.world)


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1)).to(device)
    local_sgd = LocalSGD(model, torch.optim.SGD(model.parameters(), lr=1e-2))
    draw = torch.Generator().manual_seed(31 + dist.get_rank())
    for _ in range(64):
        x = torch.randn(32, 10, generator=draw).to(device)
        nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        local_sgd.step()
    if dist.get_rank() == 0:
        torch.save(model.state_dict(), "local_sgd.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
