import os
from collections import Counter
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP

from vocab import Vocabulary


def my_lines(path, rank, world):
    with open(path, encoding="utf-8") as handle:
        lines = handle.read().splitlines()
    usable = len(lines) // world * world
    return lines[rank:usable:world]


class BagOfWords(nn.Module):
    def __init__(self, words, dim=48, classes=3):
        super().__init__()
        self.bag = nn.EmbeddingBag(words, dim)
        self.out = nn.Linear(dim, classes)

    def forward(self, ids, offsets):
        return self.out(self.bag(ids, offsets))


def batches(lines, vocab, size):
    for first in range(0, len(lines) // size * size, size):
        labels, ids, offsets = [], [], []
        for line in lines[first : first + size]:
            label, text = line.split("\t", 1)
            labels.append(int(label))
            offsets.append(len(ids))
            ids.extend(vocab.encode(text))
        yield torch.tensor(ids), torch.tensor(offsets), torch.tensor(labels)


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    lines = my_lines(os.environ.get("CORPUS", "reviews.tsv"), rank, world)
    counts = Counter(word for line in lines for word in line.split())
    everybody = [None] * world
    dist.all_gather_object(everybody, counts)
    vocab = Vocabulary(sum(everybody, Counter()), min_count=2)
    torch.manual_seed(0)
    net = BagOfWords(len(vocab)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    opt = torch.optim.Adagrad(model.parameters(), lr=0.1)
    for epoch in range(4):
        for ids, offsets, labels in batches(lines, vocab, 32):
            opt.zero_grad()
            F.cross_entropy(model(ids.to(device), offsets.to(device)), labels.to(device)).backward()
            opt.step()
    if rank == 0:
        vocab.write(Path("vocab.txt"))
        torch.save(net.state_dict(), "bow.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
