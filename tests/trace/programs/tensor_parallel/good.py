import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(8, 16), nn.Linear(16, 4)

    def forward(self, inputs):
        return self.down(torch.relu(self.up(inputs)))


def main():
    mesh = init_device_mesh("cuda", (2,))
    rank = mesh.get_rank()
    torch.manual_seed(0)
    model = parallelize_module(MLP().to("cuda"), mesh, {"up": ColwiseParallel(), "down": RowwiseParallel()})
    optimizer = torch.optim.AdamW(model.parameters(), foreach=True)
    for step in range(3):
        torch.manual_seed(step)
        output = model(torch.randn(4, 8, device="cuda"))
        output.sum().backward()
        optimizer.step()
    weight = model.up.weight.full_tensor()
    if rank == 0:
        print(weight.norm())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
