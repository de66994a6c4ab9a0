import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.device_mesh import init_device_mesh


class Stage:
    def __init__(self, mesh):
        self.pp, self.dp = mesh["pp"], mesh["dp"]
        self.index, self.stages = self.pp.get_local_rank(), self.pp.size()
        self.ranks = dist.get_process_group_ranks(self.pp.get_group())

    @property
    def is_first(self):
        return self.index == 0

    @property
    def is_last(self):
        return self.index == self.stages - 1


def forward(stage, module, batch, device):
    if stage.is_first:
        hidden = module(batch)
    else:
        received = torch.empty(batch.shape[0], 32, device=device)
        dist.recv(received, src=stage.ranks[stage.index - 1])
        received.requires_grad_(True)
        hidden = module(received)
        hidden.source = received
    if not stage.is_last:
        dist.send(hidden.detach(), dst=stage.ranks[stage.index + 1])
    return hidden


def backward(stage, hidden, target):
    loss = None
    if stage.is_last:
        loss = F.mse_loss(hidden, target)
        loss.backward()
    else:
        grad = torch.empty_like(hidden)
        dist.recv(grad, src=stage.ranks[stage.index + 1])
        hidden.backward(grad)
    if not stage.is_first:
        dist.send(hidden.source.grad, dst=stage.ranks[stage.index - 1])
    return loss


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    world = dist.get_world_size()
    mesh = init_device_mesh(device.type, (2, world // 2), mesh_dim_names=("pp", "dp"))
    stage = Stage(mesh)
    torch.manual_seed(stage.index)
    module = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 32)).to(device)
    opt = torch.optim.SGD(module.parameters(), lr=0.05)
    gen = torch.Generator().manual_seed(77 + stage.dp.get_local_rank())
    for step in range(100):
        batch = torch.randn(16, 32, generator=gen).to(device)
        opt.zero_grad()
        hidden = forward(stage, module, batch, device)
        loss = backward(stage, hidden, batch.flip(1))
        for p in module.parameters():
            dist.all_reduce(p.grad, group=stage.dp.get_group())
            p.grad /= stage.dp.size()
        opt.step()
        if stage.is_last:
            shown = loss.detach().clone()
            dist.all_reduce(shown, group=stage.dp.get_group())
            if stage.dp.get_local_rank() == 0:
                print(step, (shown / stage.dp.size()).item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
