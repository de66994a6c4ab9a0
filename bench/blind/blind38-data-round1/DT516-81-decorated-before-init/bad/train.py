import argparse
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

import runtime


@runtime.first_on_main
def vocabulary(corpus, cache):
    cache = Path(cache)
    if not cache.exists():
        words = sorted({word for line in Path(corpus).read_text().splitlines() for word in line.split()})
        cache.write_text("\n".join(words))
    return {word: index + 1 for index, word in enumerate(cache.read_text().splitlines())}


def windows(corpus, words, length=16):
    ids = [words.get(word, 0) for word in Path(corpus).read_text().split()]
    count = (len(ids) - 1) // length
    x = torch.tensor(ids[: count * length]).view(count, length)
    y = torch.tensor(ids[1 : count * length + 1]).view(count, length)
    return TensorDataset(x, y)


class Language(nn.Module):
    def __init__(self, words, width=64):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.rnn = nn.GRU(width, width, batch_first=True)
        self.out = nn.Linear(width, words)

    def forward(self, x):
        return self.out(self.rnn(self.embed(x))[0])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--corpus", default="corpus.txt")
    parser.add_argument("--cache", default="words.txt")
    parser.add_argument("--epochs", type=int, default=3)
    args = parser.parse_args()

    words = vocabulary(args.corpus, args.cache)
    device = runtime.start()
    torch.manual_seed(0)
    rows = windows(args.corpus, words)
    sampler = DistributedSampler(rows, drop_last=True)
    loader = DataLoader(rows, batch_size=16, sampler=sampler, drop_last=True)
    model = DistributedDataParallel(
        Language(len(words) + 1).to(device), device_ids=[device.index] if device.type == "cuda" else None
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.to(device)).flatten(0, 1), y.to(device).flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if dist.get_rank() == 0:
            torch.save(model.module.state_dict(), "language.pt")
    runtime.stop()


if __name__ == "__main__":
    main()
