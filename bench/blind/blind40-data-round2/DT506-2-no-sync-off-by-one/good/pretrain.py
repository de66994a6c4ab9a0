import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from engine import Accumulator


def corpus(n=1280, length=33, vocab=50):
    gen = torch.Generator().manual_seed(0)
    return TensorDataset(torch.randint(vocab, (n, length), generator=gen))


class NextToken(nn.Module):
    def __init__(self, vocab=50, dim=48):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.out = nn.Linear(dim, vocab)

    def forward(self, tokens):
        hidden, _ = self.rnn(self.embed(tokens[:, :-1]))
        return F.cross_entropy(self.out(hidden).flatten(0, 1), tokens[:, 1:].flatten())


def main(epochs=2, every=4):
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(NextToken().to(device), device_ids=[local] if cuda else None)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    data = corpus()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    whole = len(loader) // every * every
    windows = Accumulator(model, every)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for i, (tokens,) in enumerate(loader):
            if i == whole:
                break
            with windows.context(i):
                (model(tokens.to(device)) / every).backward()
            if windows.closes(i):
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                opt.step()
                opt.zero_grad(set_to_none=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
