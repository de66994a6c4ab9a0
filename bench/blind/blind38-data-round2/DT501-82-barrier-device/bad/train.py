"""Rank 0 tokenises the corpus, everybody waits, then a small language model is trained."""
import os
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler

CORPUS, CACHE, LENGTH = Path("/shared/corpus.txt"), Path("/shared/corpus.npy"), 128


def tokenise():
    if not CACHE.exists():
        np.save(CACHE, np.frombuffer(CORPUS.read_bytes(), dtype=np.uint8).astype(np.int64))


class Windows(Dataset):
    def __init__(self):
        self.ids = np.load(CACHE, mmap_mode="r")

    def __len__(self):
        return (len(self.ids) - 1) // LENGTH

    def __getitem__(self, index):
        piece = torch.from_numpy(self.ids[index * LENGTH : (index + 1) * LENGTH + 1].copy())
        return piece[:-1], piece[1:]


class Bytes(nn.Module):
    def __init__(self, width=256):
        super().__init__()
        self.embed = nn.Embedding(256, width)
        self.rnn = nn.LSTM(width, width, num_layers=2, batch_first=True)
        self.out = nn.Linear(width, 256)

    def forward(self, x):
        return self.out(self.rnn(self.embed(x))[0])


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    rank = dist.get_rank()
    if rank == 0:
        tokenise()
    dist.barrier(device_ids=[rank])

    torch.manual_seed(0)
    rows = Windows()
    sampler = DistributedSampler(rows, shuffle=True, drop_last=True)
    loader = DataLoader(rows, 32, sampler=sampler, num_workers=2, drop_last=True)
    model = DDP(Bytes().cuda(), device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in loader:
            logits = model(x.cuda(non_blocking=True))
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), y.cuda(non_blocking=True).flatten())
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        if rank == 0:
            torch.save(model.module.state_dict(), "bytes.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
