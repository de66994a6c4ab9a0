import os
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP


class ShardReader:
    """Reads the windows of one shard of a token file."""

    def __init__(self, path, index=None, count=None, window=64):
        self.index = int(os.environ["WORLD_SIZE"]) - 1 if index is None else index
        self.count = count or int(os.environ["WORLD_SIZE"])
        tokens = np.memmap(path, dtype=np.uint16, mode="r")
        per_shard = len(tokens) // self.count // window * window
        start = self.index * per_shard
        self.tokens = tokens[start : start + per_shard].reshape(-1, window)

    def batches(self, size, seed):
        order = np.random.default_rng(seed).permutation(len(self.tokens))
        for start in range(0, len(order) - size + 1, size):
            rows = np.sort(order[start : start + size])
            yield torch.from_numpy(self.tokens[rows].astype(np.int64))


def main(path=Path("tokens.bin")):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    reader = ShardReader(path, index=dist.get_rank())
    torch.manual_seed(0)
    model = DDP(nn.Sequential(nn.Embedding(50304, 64), nn.Linear(64, 50304)).to(device))
    opt = torch.optim.AdamW(model.parameters(), lr=3e-4)
    for epoch in range(2):
        for batch in reader.batches(8, seed=epoch):
            batch = batch.to(device)
            logits = model(batch[:, :-1])
            loss = F.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
            opt.zero_grad()
            loss.backward()
            opt.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "lm.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
