import os
import random
from contextlib import contextmanager

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler

from corpus import open_corpus


@contextmanager
def process_group():
    cuda = torch.cuda.is_available()
    local = int(os.environ.get("LOCAL_RANK", 0))
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    try:
        yield torch.device("cuda", local) if cuda else torch.device("cpu")
    finally:
        dist.destroy_process_group()


def synthetic_documents():
    source = random.Random(13)
    return [[source.randrange(256) for _ in range(source.randrange(50, 200))] for _ in range(200)]


class TinyLM(nn.Module):
    def __init__(self, vocab=256, dim=32):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.out = nn.Linear(dim, vocab)

    def forward(self, tokens):
        hidden, _ = self.rnn(self.embed(tokens))
        return self.out(hidden)


def main():
    with process_group() as device:
        torch.manual_seed(0)
        model = DDP(TinyLM().to(device))
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        data = open_corpus(os.environ.get("CACHE_DIR", "cache"), synthetic_documents, window=32)
        sampler = DistributedSampler(data, drop_last=True)
        loader = DataLoader(data, batch_size=8, sampler=sampler, drop_last=True)
        for epoch in range(1):
            sampler.set_epoch(epoch)
            for inputs, targets in loader:
                logits = model(inputs.to(device))
                loss = nn.functional.cross_entropy(logits.transpose(1, 2), targets.to(device))
                optimizer.zero_grad(set_to_none=True)
                loss.backward()
                optimizer.step()


if __name__ == "__main__":
    main()
