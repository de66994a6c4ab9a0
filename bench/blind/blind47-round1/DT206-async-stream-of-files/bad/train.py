import asyncio
import os
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn

from stream import batches


def my_share(root: str) -> list[Path]:
    paths = sorted(Path(root).glob("*.pt"))
    return paths[dist.get_rank() :: dist.get_world_size()]


def average_gradients(model: nn.Module) -> None:
    for p in model.parameters():
        dist.all_reduce(p.grad)
        p.grad /= dist.get_world_size()


async def epoch(model, optimizer, root: str) -> None:
    async for rows in batches(my_share(root), 32):
        loss = model(rows).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        average_gradients(model)
        optimizer.step()


async def main() -> None:
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = nn.Linear(16, 4)
    for p in model.parameters():
        dist.broadcast(p.data, src=0)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for _ in range(int(os.environ.get("EPOCHS", "2"))):
        await epoch(model, optimizer, os.environ["DATA_ROOT"])
    dist.destroy_process_group()


if __name__ == "__main__":
    asyncio.run(main())
