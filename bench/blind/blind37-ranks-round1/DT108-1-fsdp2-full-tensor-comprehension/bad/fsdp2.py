import os
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def forward(self, x):
        return x + self.down(nn.functional.gelu(self.up(self.norm(x))))


class Stack(nn.Module):
    def __init__(self, width=32, depth=3):
        super().__init__()
        self.blocks = nn.ModuleList(Block(width) for _ in range(depth))
        self.head = nn.Linear(width, 1)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def shard(model, mesh):
    for block in model.blocks:
        fully_shard(block, mesh=mesh)
    return fully_shard(model, mesh=mesh)


def export_full(model, path, is_main):
    if is_main:
        weights = {
            name: value.full_tensor().cpu() if hasattr(value, "full_tensor") else value.cpu()
            for name, value in model.state_dict().items()
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        torch.save(weights, path)
    dist.barrier()


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    mesh = init_device_mesh("cuda" if cuda else "cpu", (dist.get_world_size(),))
    torch.manual_seed(0)
    model = shard(Stack().to("cuda" if cuda else "cpu"), mesh)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    g = torch.Generator().manual_seed(4)
    x = torch.randn(256, 32, generator=g)
    data = TensorDataset(x, x.mean(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for inputs, target in loader:
            loss = nn.functional.mse_loss(model(inputs.to(device)), target.to(device))
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
    export_full(model, Path("export") / "stack.pt", is_main=dist.get_rank() == 0)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
