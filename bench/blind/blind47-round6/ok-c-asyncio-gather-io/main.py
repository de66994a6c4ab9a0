import asyncio
import json
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


async def write(path: Path, rows):
    await asyncio.to_thread(path.write_text, json.dumps(rows))


async def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    rank = dist.get_rank()
    folder = Path("rows")
    folder.mkdir(exist_ok=True)
    model = DistributedDataParallel(nn.Linear(4, 4))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    noise = torch.Generator().manual_seed(rank)
    pending = []
    for step in range(30):
        optimizer.zero_grad()
        loss = model(torch.randn(8, 4, generator=noise)).square().mean()
        loss.backward()
        optimizer.step()
        total = loss.detach().clone()
        dist.all_reduce(total)
        pending.append(asyncio.create_task(write(folder / f"{step:03d}-{rank}.json", [loss.item(), total.item()])))
        await asyncio.sleep(0)
    await asyncio.gather(*pending)
    dist.destroy_process_group()


if __name__ == "__main__":
    asyncio.run(main())
