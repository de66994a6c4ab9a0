import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh


def ring_norm(x, group):
    total = x.pow(2).sum()
    dist.all_reduce(total, group=group)
    return total.sqrt()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tensor", type=int, default=1)
    parser.add_argument("--pipeline", type=int, default=1)
    parser.add_argument("--steps", type=int, default=100)
    args = parser.parse_args()
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    world = dist.get_world_size()
    data = world // (args.tensor * args.pipeline)
    mesh = init_device_mesh("cuda", (args.pipeline, data, args.tensor), mesh_dim_names=("pp", "dp", "tp"))
    torch.manual_seed(1 + mesh.get_local_rank("tp"))
    shard = nn.Linear(1024, 1024 // args.tensor, device="cuda")
    torch.manual_seed(100 + dist.get_rank())
    torch.set_grad_enabled(False)
    for step in range(args.steps):
        norm = ring_norm(shard(torch.randn(8, 1024, device="cuda")), mesh.get_group("tp"))
        if dist.get_rank() == 0 and step % 10 == 0:
            print(step, norm.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
