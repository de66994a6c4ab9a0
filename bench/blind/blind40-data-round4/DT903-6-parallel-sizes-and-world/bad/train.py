import os

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh

TP, PP = 4, 2
DP = 4


def main():
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    mesh = init_device_mesh("cuda", (PP, DP, TP), mesh_dim_names=("pp", "dp", "tp"))
    ones = torch.ones(1, device="cuda")
    dist.all_reduce(ones, group=mesh["dp"].get_group())
    if dist.get_rank() == 0:
        print("replicas", int(ones))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
