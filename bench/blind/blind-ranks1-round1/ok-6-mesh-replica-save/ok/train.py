import os

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh

from replica import ReplicaWriter


def main(steps=3):
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if cuda else "gloo")
    device = "cuda" if cuda else "cpu"
    world = dist.get_world_size()
    mesh = init_device_mesh(device, (2, world // 2), mesh_dim_names=("replicate", "shard"))
    writer = ReplicaWriter(mesh, "replica")
    torch.manual_seed(0)
    weight = torch.randn(64, device=device).chunk(mesh["shard"].size())[mesh.get_local_rank("shard")].clone()
    torch.manual_seed(100 + dist.get_rank())
    for step in range(steps):
        grad = torch.randn_like(weight)
        dist.all_reduce(grad, group=mesh.get_group("replicate"))
        weight -= 0.1 * grad / mesh["replicate"].size()
        writer.save(weight.cpu(), step)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
