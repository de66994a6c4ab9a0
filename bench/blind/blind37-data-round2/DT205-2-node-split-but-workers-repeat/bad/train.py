import gzip
import json
import os
import random
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class CodeChunks(IterableDataset):
    def __init__(self, root, chunk, seed):
        self.files = sorted(Path(root).glob("*.jsonl.gz"))
        self.chunk = chunk
        self.seed = seed
        self.turn = 0

    def _own_files(self):
        files = list(self.files)
        random.Random(self.seed + self.turn).shuffle(files)
        replica, replicas = dist.get_rank(), dist.get_world_size()
        return files[replica::replicas]

    def _tokens(self):
        for path in self._own_files():
            with gzip.open(path, "rt") as lines:
                for line in lines:
                    yield from json.loads(line)["text"].encode()
                    yield 0

    def __iter__(self):
        while True:
            buffer = []
            for token in self._tokens():
                buffer.append(token)
                if len(buffer) == self.chunk + 1:
                    yield torch.tensor(buffer)
                    buffer = buffer[-1:]
            self.turn += 1


def worker_ready(worker_id):
    torch.set_num_threads(1)


class ByteLM(nn.Module):
    def __init__(self, width=256):
        super().__init__()
        self.emb = nn.Embedding(256, width)
        self.rnn = nn.GRU(width, width, num_layers=2, batch_first=True)
        self.out = nn.Linear(width, 256)

    def forward(self, x):
        return self.out(self.rnn(self.emb(x))[0])


def main():
    backend = os.environ.get("BACKEND", "nccl")
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group(backend)
    torch.manual_seed(0)
    data = CodeChunks("/data/stack", chunk=512, seed=99)
    loader = DataLoader(data, batch_size=32, num_workers=4, worker_init_fn=worker_ready)
    model = DDP(ByteLM().cuda(), device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    for step, chunk in enumerate(loader):
        if step == 50_000:
            break
        chunk = chunk.cuda(non_blocking=True)
        loss = F.cross_entropy(model(chunk[:, :-1]).transpose(1, 2), chunk[:, 1:])
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % 5000 == 0 and dist.get_rank() == 0:
            torch.save(model.module.state_dict(), f"byte-{step}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
