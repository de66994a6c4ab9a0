"""Token packing generators chained with itertools/toolz style, state carried; each rank its own contiguous span."""
import itertools
import os
from collections import deque
from typing import Iterable, Iterator

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

BLOCK, BATCH = 128, 8


def documents(path: str) -> Iterator[np.ndarray]:
    tokens = np.memmap(path, dtype=np.uint16, mode="r")
    ends = np.flatnonzero(tokens == 0)
    start = 0
    for end in ends:
        yield np.asarray(tokens[start:end])
        start = end + 1


def forever(make):
    while True:
        yield from make()


def every_nth(items: Iterable, n: int, offset: int) -> Iterator:
    return itertools.islice(items, offset, None, n)


def pack(docs: Iterable[np.ndarray], block: int) -> Iterator[torch.Tensor]:
    rest: deque = deque()
    for doc in docs:
        rest.extend(doc.tolist())
        while len(rest) >= block + 1:
            yield torch.tensor([rest.popleft() for _ in range(block + 1)])


def shuffle_window(items: Iterable, size: int, seed: int) -> Iterator:
    rng = np.random.default_rng(seed)
    window = list(itertools.islice(items, size))
    for item in items:
        at = rng.integers(len(window))
        out, window[at] = window[at], item
        yield out


def batched(items: Iterator, n: int) -> Iterator[torch.Tensor]:
    while True:
        yield torch.stack(list(itertools.islice(items, n)))


def main():
    dist.init_process_group("nccl")
    rank, world, local = dist.get_rank(), dist.get_world_size(), int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    mine = every_nth(forever(lambda: documents("openweb.bin")), world, rank)
    stream = batched(shuffle_window(pack(mine, BLOCK), 1000, seed=rank), BATCH)
    torch.manual_seed(0)
    net = nn.Sequential(nn.Embedding(50304, 128), nn.Linear(128, 50304)).cuda()
    model = DDP(net, device_ids=[local])
    optimizer = torch.optim.AdamW(model.parameters(), 6e-4)
    for step, tokens in enumerate(itertools.islice(stream, 10_000)):
        tokens = tokens.cuda()
        loss = nn.functional.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if step % 1000 == 0:
            if rank == 0:
                torch.save(net.state_dict(), f"gpt{step}.pt")
            dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
