import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module


class MLP(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def forward(self, x):
        return self.down(torch.relu(self.up(x)))


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    rank, half = dist.get_rank(), dist.get_world_size() // 2
    torch.manual_seed(0)
    model = MLP().cuda().eval()
    if rank < half:
        mesh = init_device_mesh("cuda", (half,), mesh_dim_names=("tp",))
        model = parallelize_module(model, mesh, {"up": ColwiseParallel(), "down": RowwiseParallel()})
    gen = torch.Generator(device="cuda").manual_seed(1)
    with torch.no_grad():
        for _ in range(10):
            out = model(torch.randn(4, 64, generator=gen, device="cuda"))
    print(rank, out.norm().item())
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
