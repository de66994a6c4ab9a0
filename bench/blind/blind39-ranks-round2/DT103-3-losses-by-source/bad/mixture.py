import os
from collections import Counter, defaultdict

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler

SOURCES = ["web", "books", "code", "forum", "papers"]


class Mixture(Dataset):
    def __init__(self, n=500):
        g = torch.Generator().manual_seed(50)
        weights = torch.tensor([0.7, 0.2, 0.06, 0.03, 0.01])
        self.source = torch.multinomial(weights, n, replacement=True, generator=g).tolist()
        self.tokens = torch.randint(0, 40, (n, 17), generator=g)

    def __len__(self):
        return len(self.source)

    def __getitem__(self, i):
        return {"tokens": self.tokens[i], "source": SOURCES[self.source[i]]}


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(40, 20)
        self.gru = nn.GRU(20, 20, batch_first=True)
        self.logits = nn.Linear(20, 40)

    def forward(self, tokens):
        return self.logits(self.gru(self.embedding(tokens))[0])


class SourceLosses:
    def __init__(self, device):
        self.device = device
        self.total, self.seen = defaultdict(float), Counter()

    def add(self, sources, losses):
        for source, loss in zip(sources, losses.tolist()):
            self.total[source] += loss
            self.seen[source] += 1

    def reduced(self):
        out = {}
        for source in sorted(self.total):
            pair = torch.tensor([self.total[source], self.seen[source]], device=self.device)
            dist.all_reduce(pair)
            out[source] = (pair[0] / pair[1].clamp(min=1)).item()
        return out


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(Model().to(device), device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    data = Mixture()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=10, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        table = SourceLosses(device)
        for batch in loader:
            tokens = batch["tokens"].to(device)
            logits = model(tokens[:, :-1])
            losses = nn.functional.cross_entropy(logits.transpose(1, 2), tokens[:, 1:], reduction="none").mean(1)
            optimizer.zero_grad()
            losses.mean().backward()
            optimizer.step()
            table.add(batch["source"], losses.detach())
        by_source = table.reduced()
        if dist.get_rank() == 0:
            print(epoch, by_source)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
