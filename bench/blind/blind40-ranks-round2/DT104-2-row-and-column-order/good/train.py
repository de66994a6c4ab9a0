import os

import torch
import torch.distributed as dist
import torch.nn as nn

from grid import Grid


class Averager:
    def __init__(self, module, grid):
        self.params = [p for p in module.parameters() if p.requires_grad]
        self.grid = grid

    @torch.no_grad()
    def run(self):
        flat = torch.cat([p.grad.flatten() for p in self.params])
        self.grid.average(flat)
        at = 0
        for p in self.params:
            p.grad.copy_(flat[at : at + p.numel()].view_as(p))
            at += p.numel()


def main(steps=100, columns=2):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    grid = Grid(columns)
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(20, 60), nn.Tanh(), nn.Linear(60, 20)).to(device)
    opt = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9)
    averager = Averager(net, grid)
    stream = torch.Generator().manual_seed(300 + dist.get_rank())
    for step in range(steps):
        x = torch.randn(16, 20, generator=stream).to(device)
        loss = nn.functional.mse_loss(net(x), x.flip(1))
        opt.zero_grad()
        loss.backward()
        averager.run()
        opt.step()
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "flip.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
