from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from runtime import master_only, start


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.ff = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x):
        return x + self.ff(self.norm(x))


def sharded_model(device, depth=3, dim=32):
    model = nn.Sequential(*[Block(dim) for _ in range(depth)]).to(device)
    for block in model:
        fully_shard(block)
    fully_shard(model)
    return model


@master_only
def export(model, path):
    options = StateDictOptions(full_state_dict=True, cpu_offload=True)
    weights = get_model_state_dict(model, options=options)
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save(weights, path)


def main():
    device = start()
    torch.manual_seed(0)
    model = sharded_model(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    rows = torch.randn(384, 32, generator=torch.Generator().manual_seed(1))
    data = TensorDataset(rows)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            x = x.to(device)
            loss = (model(x) - x.roll(1, dims=1)).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        export(model, Path("exports") / f"epoch_{epoch}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
