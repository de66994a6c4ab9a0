import os

import torch
import torch.distributed as dist
import torch.nn as nn


class Stage(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.block = nn.Sequential(nn.Linear(width, width), nn.Tanh())

    def forward(self, x):
        return x + self.block(x)


class Pipeline:
    def __init__(self, width, device):
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        self.width, self.device = width, device
        self.stage = Stage(width).to(device)

    @property
    def is_last(self):
        return self.rank == self.world - 1

    def forward(self, rows):
        x = torch.empty(rows, self.width, device=self.device)
        if self.rank == 0:
            x.normal_()
        else:
            dist.recv(x, src=self.rank - 1)
        x = self.stage(x)
        if not self.is_last:
            dist.send(x.detach(), dst=self.rank + 1)
        return x


@torch.no_grad()
def main(steps=4, width=12):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(dist.get_rank())
    pipe = Pipeline(width, device)
    for _ in range(steps):
        out = pipe.forward(rows=8)
    if pipe.is_last:
        print(out.norm().item())
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
