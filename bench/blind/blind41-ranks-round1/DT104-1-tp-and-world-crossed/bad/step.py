import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed.device_mesh import init_device_mesh


class HalfLinear(nn.Module):
    """Every tensor-parallel rank holds a slice of the output rows."""

    def __init__(self, width, parts):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(width // parts, width))
        nn.init.normal_(self.weight, std=0.02)

    def forward(self, x):
        return x @ self.weight.t()


class Stats:
    def __init__(self, mesh):
        self.tp = mesh["tp"].get_group()
        self.tp_rank = mesh.get_local_rank("tp")

    def synced(self, loss, sq_norm):
        if self.tp_rank == 0:
            dist.all_reduce(loss)
            dist.all_reduce(sq_norm, group=self.tp)
        else:
            dist.all_reduce(sq_norm, group=self.tp)
            dist.all_reduce(loss)
        return loss / dist.get_world_size(), sq_norm.sqrt()


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    world = dist.get_world_size()
    mesh = init_device_mesh(device.type, (world // 2, 2), mesh_dim_names=("dp", "tp"))
    torch.manual_seed(100 + mesh.get_local_rank("tp"))
    layer = HalfLinear(64, 2).to(device)
    opt = torch.optim.SGD(layer.parameters(), lr=0.1)
    stats = Stats(mesh)
    data = torch.Generator().manual_seed(mesh.get_local_rank("dp"))
    for step in range(20):
        x = torch.randn(8, 64, generator=data).to(device)
        loss = layer(x).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        dist.all_reduce(layer.weight.grad, group=mesh["dp"].get_group())
        layer.weight.grad /= world // 2
        mean, norm = stats.synced(loss.detach().clone(), layer.weight.grad.pow(2).sum())
        opt.step()
        if dist.get_rank() == 0:
            print(step, mean.item(), norm.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
