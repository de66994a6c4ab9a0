import asyncio

import torch
import torch.distributed as dist


async def prepare(i):
    await asyncio.sleep(0)
    return torch.randn(8, generator=torch.Generator().manual_seed(i))


async def total(x):
    await asyncio.to_thread(dist.all_reduce, x)
    return x
