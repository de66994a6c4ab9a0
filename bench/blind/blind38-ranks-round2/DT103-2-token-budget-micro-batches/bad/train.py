import contextlib
import os
from dataclasses import dataclass

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset, DistributedSampler


@dataclass
class Config:
    sentences: int = 64
    tokens: int = 512
    epochs: int = 3
    lr: float = 5e-4


class Text(Dataset):
    def __init__(self, n=4096, seed=21):
        gen = torch.Generator().manual_seed(seed)
        sizes = torch.randint(4, 60, (n,), generator=gen).tolist()
        self.rows = [torch.randint(1, 300, (size,), generator=gen) for size in sizes]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


def by_token_budget(rows, budget):
    """Cut a batch so that no padded piece has more than `budget` tokens."""
    rows = sorted(rows, key=len)
    piece = []
    for row in rows:
        if piece and len(row) * (len(piece) + 1) > budget:
            yield pad_sequence(piece, batch_first=True)
            piece = []
        piece.append(row)
    yield pad_sequence(piece, batch_first=True)


class Decoder(nn.Module):
    def __init__(self, vocab=300, dim=96):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim, padding_idx=0)
        self.rnn = nn.LSTM(dim, dim, batch_first=True)
        self.out = nn.Linear(dim, vocab)

    def forward(self, rows):
        hidden, _ = self.rnn(self.embed(rows[:, :-1]))
        logits = self.out(hidden)
        return F.cross_entropy(logits.flatten(0, 1), rows[:, 1:].flatten(), ignore_index=0, reduction="sum")


def train_batch(model, opt, rows, cfg, device):
    opt.zero_grad()
    total = sum(len(row) - 1 for row in rows)
    pieces = list(by_token_budget(rows, cfg.tokens))
    for number, piece in enumerate(pieces, start=1):
        with contextlib.nullcontext() if number == len(pieces) else model.no_sync():
            loss = model(piece.to(device)) / total
            loss.backward()
    opt.step()


def main():
    cfg = Config()
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank)
    dist.init_process_group("nccl", device_id=device)
    torch.manual_seed(0)
    model = FSDP(Decoder().to(device), device_id=device)
    opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
    data = Text()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=cfg.sentences, sampler=sampler, drop_last=True, collate_fn=list)
    for epoch in range(cfg.epochs):
        sampler.set_epoch(epoch)
        for rows in loader:
            train_batch(model, opt, rows, cfg, device)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
