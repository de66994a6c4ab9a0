"""Speech-unit language model fed from gzip JSON-lines shards."""
import gzip
import json
import os
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

SHARDS = Path("/data/units")


class UnitStream(IterableDataset):
    def __init__(self, root, rank, world, length=256):
        super().__init__()
        files = sorted(root.glob("*.jsonl.gz"))
        self.files = files[: len(files) // world * world]
        self.rank, self.world, self.length = rank, world, length

    def _mine(self):
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info else (0, 1)
        return self.files[self.rank :: self.world][worker::workers]

    def __iter__(self):
        while True:
            for path in self._mine():
                with gzip.open(path, "rt") as fh:
                    for line in fh:
                        units = json.loads(line)["units"]
                        for at in range(0, len(units) - self.length, self.length):
                            yield torch.tensor(units[at : at + self.length + 1])


class UnitLM(nn.Module):
    def __init__(self, vocab=1024, width=512):
        super().__init__()
        self.embed = nn.Embedding(vocab, width)
        self.rnn = nn.LSTM(width, width, num_layers=3, batch_first=True)
        self.out = nn.Linear(width, vocab)

    def forward(self, ids):
        hidden, _ = self.rnn(self.embed(ids[:, :-1]))
        logits = self.out(hidden)
        return nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())


def main(steps=100_000):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    rank, world = dist.get_rank(), dist.get_world_size()
    loader = DataLoader(UnitStream(SHARDS, rank, world), batch_size=32, num_workers=4, pin_memory=True)
    model = DDP(UnitLM().cuda(), device_ids=[local_rank])
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-4)
    for step, ids in zip(range(steps), loader):
        loss = model(ids.cuda(non_blocking=True))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if step % 5000 == 0 and rank == 0:
            torch.save(model.module.state_dict(), "unit_lm.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
