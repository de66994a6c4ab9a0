import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh


class ColumnLinear(nn.Module):
    """Output columns split over the tensor-parallel group."""

    def __init__(self, inp, out, group):
        super().__init__()
        self.group = group
        self.part = nn.Linear(inp, out // dist.get_world_size(group))

    def forward(self, x):
        return self.part(x)


class Feeder:
    """The first rank of each tensor-parallel group draws the batch, its group gets a copy."""

    def __init__(self, mesh, rows, width):
        self.mesh = mesh
        self.group = mesh["tp"].get_group()
        self.rows, self.width = rows, width
        self.gen = torch.Generator().manual_seed(1000 + mesh["dp"].get_local_rank())

    def next(self, device):
        if self.mesh["tp"].get_local_rank() == 0:
            batch = torch.randn(self.rows, self.width, generator=self.gen).to(device)
        else:
            batch = torch.empty(self.rows, self.width, device=device)
        dist.broadcast(batch, src=0, group=self.group)
        return batch


@torch.no_grad()
def average_over_replicas(module, group):
    size = dist.get_world_size(group)
    for p in module.parameters():
        dist.all_reduce(p.grad, group=group)
        p.grad.div_(size)


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    tp = int(os.environ.get("TP", 2))
    mesh = init_device_mesh(device.type, (dist.get_world_size() // tp, tp), mesh_dim_names=("dp", "tp"))
    feeder = Feeder(mesh, 16, 24)
    torch.manual_seed(mesh["tp"].get_local_rank())
    layer = ColumnLinear(24, 48, mesh["tp"].get_group()).to(device)
    opt = torch.optim.SGD(layer.parameters(), lr=0.01)
    for _ in range(20):
        x = feeder.next(device)
        opt.zero_grad()
        layer(x).square().mean().backward()
        average_over_replicas(layer, mesh["dp"].get_group())
        opt.step()
    if mesh["dp"].get_local_rank() == 0:
        torch.save(layer.state_dict(), f"columns_tp{mesh['tp'].get_local_rank()}.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
