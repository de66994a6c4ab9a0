import asyncio
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


async def produce(queue: asyncio.Queue, paths):
    for path in paths:
        rows = await asyncio.to_thread(torch.load, path, weights_only=True)
        for part in rows.split(16):
            await queue.put(part)
    await queue.put(None)


def everyone_has(batch) -> bool:
    flag = torch.tensor(int(batch is not None))
    dist.all_reduce(flag, op=dist.ReduceOp.MIN)
    return bool(flag)


async def train(paths):
    model = DistributedDataParallel(nn.Linear(8, 8))
    optimizer = torch.optim.SGD(model.parameters(), 0.05)
    queue = asyncio.Queue(maxsize=4)
    producer = asyncio.create_task(produce(queue, paths))
    try:
        while everyone_has(batch := await queue.get()):
            optimizer.zero_grad()
            (model(batch) - batch).square().mean().backward()
            optimizer.step()
    finally:
        producer.cancel()


if __name__ == "__main__":
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    files = sorted(Path("shards").glob("*.pt"))
    asyncio.run(train(files[dist.get_rank() :: dist.get_world_size()]))
    dist.destroy_process_group()
