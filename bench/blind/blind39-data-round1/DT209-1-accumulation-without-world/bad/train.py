import os
from contextlib import nullcontext
from dataclasses import dataclass

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler


@dataclass
class TrainConfig:
    global_batch_size: int = 256
    micro_batch_size: int = 8
    block: int = 64
    vocab: int = 512
    epochs: int = 1
    lr: float = 6e-4

    def accumulation_steps(self, world_size):
        together = self.micro_batch_size
        assert self.global_batch_size % together == 0
        return self.global_batch_size // together


class Tokens(Dataset):
    def __init__(self, cfg, n=200_000):
        gen = torch.Generator().manual_seed(77)
        self.ids = torch.randint(0, cfg.vocab, (n,), generator=gen)
        self.block = cfg.block

    def __len__(self):
        return (len(self.ids) - 1) // self.block

    def __getitem__(self, i):
        chunk = self.ids[i * self.block : (i + 1) * self.block + 1]
        return chunk[:-1], chunk[1:]


class TinyLM(nn.Module):
    def __init__(self, cfg, dim=64):
        super().__init__()
        self.emb = nn.Embedding(cfg.vocab, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.head = nn.Linear(dim, cfg.vocab)

    def forward(self, ids):
        hidden, _ = self.rnn(self.emb(ids))
        return self.head(hidden)


def main():
    cfg = TrainConfig()
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    device = torch.device("cuda", local_rank)
    torch.manual_seed(0)
    model = DDP(TinyLM(cfg).to(device), device_ids=[local_rank])
    opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
    data = Tokens(cfg)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=cfg.micro_batch_size, sampler=sampler, drop_last=True)
    accum = cfg.accumulation_steps(dist.get_world_size())
    usable = len(loader) - len(loader) % accum
    for epoch in range(cfg.epochs):
        sampler.set_epoch(epoch)
        for index, (ids, labels) in enumerate(loader):
            if index >= usable:
                break
            last = (index + 1) % accum == 0
            with nullcontext() if last else model.no_sync():
                logits = model(ids.to(device))
                loss = F.cross_entropy(logits.flatten(0, 1), labels.to(device).flatten())
                (loss / accum).backward()
            if last:
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                opt.step()
                opt.zero_grad(set_to_none=True)
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "lm.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
