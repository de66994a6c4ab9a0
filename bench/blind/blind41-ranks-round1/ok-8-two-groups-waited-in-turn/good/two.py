import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed.device_mesh import init_device_mesh


def reduce_all(model, mesh):
    shard, replica = mesh.get_group("shard"), mesh.get_group("replica")
    works = [dist.all_reduce(p.grad, group=shard, async_op=True) for p in model.parameters()]
    for work in works:
        work.wait()
    works = [dist.all_reduce(p.grad, group=replica, async_op=True) for p in model.parameters()]
    for work in works:
        work.wait()
    with torch.no_grad():
        for p in model.parameters():
            p.grad /= dist.get_world_size()


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    mesh = init_device_mesh(device.type, (2, dist.get_world_size() // 2), mesh_dim_names=("replica", "shard"))
    torch.manual_seed(0)
    model = nn.Linear(8, 8).to(device)
    opt = torch.optim.SGD(model.parameters(), lr=0.01)
    gen = torch.Generator().manual_seed(dist.get_rank())
    for step in range(50):
        x = torch.randn(16, 8, generator=gen).to(device)
        opt.zero_grad()
        (model(x) - x).pow(2).mean().backward()
        reduce_all(model, mesh)
        opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
