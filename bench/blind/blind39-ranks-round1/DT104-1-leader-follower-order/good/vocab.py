import json
import os
from collections import Counter
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

LINES = ["the cat sat", "a dog ran far", "the dog sat", "cats and dogs ran"] * 20


class Vocabulary:
    def __init__(self, path, min_count=2):
        self.path = Path(path)
        self.min_count = min_count
        self.size = torch.zeros(1, dtype=torch.long)

    def lead(self):
        counts = Counter(word for line in LINES for word in line.split())
        words = sorted(word for word, n in counts.items() if n >= self.min_count)
        self.path.write_text(json.dumps(words))
        self.size.fill_(len(words))
        dist.barrier()
        dist.broadcast(self.size, src=0)
        return words

    def follow(self):
        dist.barrier()
        words = json.loads(self.path.read_text())
        dist.broadcast(self.size, src=0)
        assert len(words) == int(self.size), "another run has written this vocabulary"
        return words

    def build(self, rank):
        return self.lead() if rank == 0 else self.follow()


def encode(words):
    index = {word: i for i, word in enumerate(words)}
    return [torch.tensor([index[w] for w in line.split() if w in index]) for line in LINES]


def main():
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    words = Vocabulary(os.environ.get("VOCAB", "vocab.json")).build(rank)
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.EmbeddingBag(len(words), 16))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    lines = encode(words)
    per_rank = len(lines) // world
    for epoch in range(2):
        order = torch.randperm(len(lines), generator=torch.Generator().manual_seed(epoch))
        for i in order[rank * per_rank : (rank + 1) * per_rank].tolist():
            loss = model(lines[i].unsqueeze(0)).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    if rank == 0:
        torch.save(model.module.state_dict(), "bag.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
