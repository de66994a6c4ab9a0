import argparse
import functools
import logging
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Sentences(Dataset):
    def __init__(self, n=2000, seed=3):
        gen = torch.Generator().manual_seed(seed)
        self.lengths = torch.randint(5, 33, (n,), generator=gen)
        self.tokens = torch.randint(1, 200, (n, 32), generator=gen)

    def __len__(self):
        return len(self.lengths)

    def __getitem__(self, i):
        row = self.tokens[i].clone()
        row[self.lengths[i] :] = 0
        return row


class Corpus:
    """A data set, the part of this rank, and a few facts about all of it."""

    def __init__(self, data, batch_size, device):
        self.data, self.device = data, device
        self.sampler = DistributedSampler(data, seed=1, drop_last=True)
        self.loader = DataLoader(data, batch_size=batch_size, sampler=self.sampler, drop_last=True)

    @functools.cached_property
    def tokens(self):
        mine = sum(int(self.data.lengths[i]) for i in self.sampler)
        total = torch.tensor(mine, device=self.device)
        dist.all_reduce(total)
        return int(total)

    def epoch(self, number):
        self.sampler.set_epoch(number)
        for rows in self.loader:
            yield rows.to(self.device)


class Model(nn.Module):
    def __init__(self, vocab=200, dim=64):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim, padding_idx=0)
        self.mix = nn.GRU(dim, dim, batch_first=True)
        self.head = nn.Linear(dim, vocab)

    def forward(self, rows):
        hidden, _ = self.mix(self.embed(rows[:, :-1]))
        return F.cross_entropy(self.head(hidden).flatten(0, 1), rows[:, 1:].flatten(), ignore_index=0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO)
    local_rank = int(os.environ["LOCAL_RANK"])
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    corpus = Corpus(Sentences(), batch_size=25, device=device)
    model = Model().to(device)
    fully_shard(model)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    tokens = corpus.tokens
    if dist.get_rank() == 0:
        logging.info("training on %d tokens for %d epochs", tokens, args.epochs)
    for number in range(args.epochs):
        for rows in corpus.epoch(number):
            opt.zero_grad()
            model(rows).backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
