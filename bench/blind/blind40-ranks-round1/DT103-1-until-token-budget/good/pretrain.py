import os
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


@dataclass
class Config:
    vocab: int = 128
    width: int = 32
    tokens_per_rank: int = 4096
    lr: float = 1e-3


class Documents:
    """Documents of different lengths; rank r reads every world-th of them, for ever."""

    def __init__(self, rank, world, vocab):
        self.rank, self.world, self.vocab = rank, world, vocab

    def __iter__(self):
        index = self.rank
        while True:
            g = torch.Generator().manual_seed(index)
            length = int(torch.randint(8, 200, (1,), generator=g))
            yield torch.randint(0, self.vocab, (length,), generator=g)
            index += self.world


class Bigram(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.embed = nn.Embedding(cfg.vocab, cfg.width)
        self.out = nn.Linear(cfg.width, cfg.vocab)

    def forward(self, tokens):
        return self.out(self.embed(tokens))


class Pretrainer:
    def __init__(self, cfg, device):
        self.cfg, self.device = cfg, device
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        torch.manual_seed(0)
        self.model = DDP(Bigram(cfg).to(device), device_ids=[device.index] if device.type == "cuda" else None)
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=cfg.lr)
        self.docs = Documents(self.rank, self.world, cfg.vocab)

    def train_one(self, doc):
        doc = doc.to(self.device)
        logits = self.model(doc[:-1])
        loss = nn.functional.cross_entropy(logits, doc[1:])
        self.opt.zero_grad(set_to_none=True)
        loss.backward()
        self.opt.step()
        return doc.numel()

    def run(self):
        stream = iter(self.docs)
        consumed = torch.zeros(1, device=self.device)
        while consumed.item() < self.cfg.tokens_per_rank * self.world:
            used = torch.tensor([float(self.train_one(next(stream)))], device=self.device)
            dist.all_reduce(used)
            consumed += used
        if self.rank == 0:
            torch.save(self.model.module.state_dict(), "bigram.pt")
        dist.barrier()


def main():
    if torch.cuda.is_available():
        device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
        torch.cuda.set_device(device)
        dist.init_process_group("nccl")
    else:
        device = torch.device("cpu")
        dist.init_process_group("gloo")
    Pretrainer(Config(), device).run()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
