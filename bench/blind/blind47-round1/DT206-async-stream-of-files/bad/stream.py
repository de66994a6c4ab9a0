import asyncio
from pathlib import Path
from typing import AsyncIterator

import torch


async def read(path: Path) -> torch.Tensor:
    return await asyncio.to_thread(torch.load, path, weights_only=True)


async def batches(paths: list[Path], size: int) -> AsyncIterator[torch.Tensor]:
    for path in paths:
        rows = await read(path)
        for part in rows.split(size):
            if len(part) == size:
                yield part
