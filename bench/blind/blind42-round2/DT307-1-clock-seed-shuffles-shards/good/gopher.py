"""Pre-tokenised shards in a new order for each run, divided over the ranks."""
import os
import random
import time
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP


def run_seed():
    """A new seed for every run, unless SEED is given."""
    seed = [int(os.environ.get("SEED", time.time_ns() % 2**31))]
    dist.broadcast_object_list(seed, src=0)
    return seed[0]


def shard_order(root, seed):
    shards = sorted(Path(root).glob("shard_*.npy"))
    random.Random(seed).shuffle(shards)
    world, rank = dist.get_world_size(), dist.get_rank()
    shards = shards[: len(shards) // world * world]
    return shards[rank::world]


def windows(shards, batch, length):
    while True:
        for path in shards:
            tokens = np.load(path, mmap_mode="r")
            rows = len(tokens) // (length + 1)
            for at in range(0, rows - batch + 1, batch):
                piece = tokens[at * (length + 1) : (at + batch) * (length + 1)]
                yield torch.from_numpy(piece.astype(np.int64)).view(batch, length + 1)


class CharMix(nn.Module):
    def __init__(self, vocab=32000, width=384):
        super().__init__()
        self.embed = nn.Embedding(vocab, width)
        self.mix = nn.GRU(width, width, 2, batch_first=True)
        self.out = nn.Linear(width, vocab, bias=False)

    def forward(self, ids):
        hidden, _ = self.mix(self.embed(ids[:, :-1]))
        return nn.functional.cross_entropy(self.out(hidden).flatten(0, 1), ids[:, 1:].flatten())


def main(steps=50_000):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    seed = run_seed()
    shards = shard_order(os.environ["SHARDS"], seed)
    torch.manual_seed(0)
    model = DDP(CharMix().cuda(), device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), 6e-4)
    for step, ids in zip(range(steps), windows(shards, 32, 256)):
        loss = model(ids.cuda(non_blocking=True))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if step % 5000 == 0 and dist.get_rank() == 0:
            torch.save(model.module.state_dict(), "charmix.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
