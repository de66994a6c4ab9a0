import os
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

from stopwatch import Stopwatch


class ChunkReader:
    """One file of token ids per rank and step."""

    def __init__(self, root, rank):
        self.root, self.rank = Path(root), rank

    def read(self, step):
        path = self.root / f"chunk_{step:05d}_{self.rank:03d}.pt"
        ids = torch.load(path, weights_only=True)
        if ids.ndim != 2:
            raise ValueError(f"{path}: expected a table of ids, found shape {tuple(ids.shape)}")
        return ids


class Head(nn.Module):
    def __init__(self, vocab=50, dim=16):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.out = nn.Linear(dim, vocab)

    def forward(self, ids):
        return self.out(self.embed(ids))


def main(root, steps):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(Head().to(device), device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    reader = ChunkReader(root, rank)
    stepping = Stopwatch("step", device)
    for step in range(steps):
        with stepping:
            ids = reader.read(step).to(device)
            logits = model(ids[:, :-1])
            loss = F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    if rank == 0:
        print(stepping.summary())
        torch.save(model.module.state_dict(), "head.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main(os.environ.get("CHUNKS", "chunks"), int(os.environ.get("STEPS", "20")))
