import itertools
import json
import os
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.algorithms.join import Join
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

CORPUS = Path(os.environ.get("CORPUS", "corpus.jsonl"))


class JsonLines(IterableDataset):
    def __init__(self, path, rank, world_size, limit=20_000):
        self.path = path
        self.rank = rank
        self.world_size = world_size
        self.limit = limit

    def __iter__(self):
        first, stride = self.rank, self.world_size
        with self.path.open() as handle:
            for line in itertools.islice(handle, first, self.limit, stride):
                record = json.loads(line)
                yield torch.tensor(record["tokens"][:128]), torch.tensor(record["label"])


def collate(rows):
    tokens, labels = zip(*rows)
    return nn.utils.rnn.pad_sequence(tokens, batch_first=True), torch.stack(labels)


class Bag(nn.Module):
    def __init__(self, vocab=32000, dim=128, classes=4):
        super().__init__()
        self.emb = nn.EmbeddingBag(vocab, dim, mode="mean", padding_idx=0)
        self.head = nn.Linear(dim, classes)

    def forward(self, tokens):
        return self.head(self.emb(tokens))


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    device = torch.device("cuda", local_rank)
    torch.manual_seed(0)
    dataset = JsonLines(CORPUS, dist.get_rank(), dist.get_world_size())
    loader = DataLoader(dataset, batch_size=64, num_workers=4, collate_fn=collate, pin_memory=True)
    model = DDP(Bag().to(device), device_ids=[local_rank])
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(2):
        with Join([model]):
            for tokens, labels in loader:
                opt.zero_grad(set_to_none=True)
                loss = F.cross_entropy(model(tokens.to(device)), labels.to(device))
                loss.backward()
                opt.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "bag.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
