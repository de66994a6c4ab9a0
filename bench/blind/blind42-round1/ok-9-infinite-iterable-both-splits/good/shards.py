"""Token shards read round-robin by all (rank, worker) pairs without end."""
import os
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class TokenShards(IterableDataset):
    def __init__(self, root, length, seed):
        self.files = sorted(Path(root).glob("*.bin"))
        self.length, self.seed = length, seed

    def __iter__(self):
        info = get_worker_info()
        workers = info.num_workers if info else 1
        slot = dist.get_rank() * workers + (info.id if info else 0)
        slots = dist.get_world_size() * workers
        rng = np.random.default_rng([self.seed, slot])
        while True:
            for path in self.files[slot::slots]:
                tokens = np.memmap(path, dtype=np.uint16, mode="r")
                for start in rng.permutation((len(tokens) - 1) // self.length):
                    piece = tokens[start * self.length : (start + 1) * self.length + 1]
                    yield torch.from_numpy(piece.astype(np.int64))


class Bigram(nn.Module):
    def __init__(self, vocab=50304, width=256):
        super().__init__()
        self.embed, self.out = nn.Embedding(vocab, width), nn.Linear(width, vocab)

    def forward(self, ids):
        logits = self.out(self.embed(ids[:, :-1]))
        return nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())


def main(steps=20_000):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    loader = DataLoader(TokenShards(os.environ["SHARDS"], 256, seed=1), batch_size=32, num_workers=2, pin_memory=True)
    model = DDP(Bigram().cuda(), device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    feed = iter(loader)
    for step in range(steps):
        loss = model(next(feed).cuda(non_blocking=True))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if step % 1000 == 0 and dist.get_rank() == 0:
            torch.save(model.module.state_dict(), f"bigram_{step}.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
