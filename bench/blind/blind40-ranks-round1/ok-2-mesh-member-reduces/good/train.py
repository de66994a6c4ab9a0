import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed.device_mesh import init_device_mesh


class ColumnLinear(nn.Module):
    def __init__(self, inputs, outputs, part, parts):
        super().__init__()
        weight = torch.randn(outputs, inputs, generator=torch.Generator().manual_seed(1)) / inputs**0.5
        self.weight = nn.Parameter(weight.chunk(parts, dim=0)[part].clone())

    def forward(self, x):
        return x @ self.weight.t()


class Job:
    def __init__(self, tp=2):
        world = dist.get_world_size()
        kind = "cuda" if torch.cuda.is_available() else "cpu"
        self.mesh = init_device_mesh(kind, (world // tp, tp), mesh_dim_names=("dp", "tp"))
        self.dp_rank, self.tp_rank = self.mesh.get_local_rank("dp"), self.mesh.get_local_rank("tp")
        self.device = torch.device("cuda", torch.cuda.current_device()) if kind == "cuda" else torch.device("cpu")
        self.layer = ColumnLinear(16, 32, self.tp_rank, tp).to(self.device)
        self.opt = torch.optim.SGD(self.layer.parameters(), lr=0.05)
        self.data = torch.Generator().manual_seed(200 + self.dp_rank)

    def step(self):
        x = torch.randn(24, 16, generator=self.data).to(self.device)
        loss = self.layer(x).pow(2).mean()
        self.opt.zero_grad()
        loss.backward()
        group = self.mesh.get_group("dp")
        for p in self.layer.parameters():
            dist.all_reduce(p.grad, group=group)
            p.grad /= dist.get_world_size(group)
        self.opt.step()
        return loss.detach()

    def weight_norm(self):
        """Norm of the whole weight, seen by the first row of the mesh; None on the others."""
        if self.dp_rank != 0:
            return None
        square = self.layer.weight.detach().pow(2).sum()
        dist.all_reduce(square, group=self.mesh.get_group("tp"))
        return square.sqrt().item()


def main(steps=40):
    if torch.cuda.is_available():
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
    job = Job()
    for step in range(steps):
        job.step()
        if step % 10 == 0:
            norm = job.weight_norm()
            if norm is not None and job.tp_rank == 0:
                print(f"{step}: |W| = {norm:.4f}")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
