import os
from collections import defaultdict, deque

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP

PAD = 0


def corpus(n=600, seed=5):
    g = torch.Generator().manual_seed(seed)
    lengths = torch.randint(3, 24, (n,), generator=g).tolist()
    return [torch.randint(1, 50, (length,), generator=g) for length in lengths]


def pack(sentences, size):
    """Batches of sentences whose lengths fall into the same bucket of four."""
    buckets, ready = defaultdict(list), deque()
    for sentence in sentences:
        bucket = buckets[len(sentence) // 4]
        bucket.append(sentence)
        if len(bucket) == size:
            ready.append(nn.utils.rnn.pad_sequence(bucket, batch_first=True, padding_value=PAD))
            bucket.clear()
    return ready


class Encoder(nn.Module):
    def __init__(self, vocab=50, dim=24):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim, padding_idx=PAD)
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.out = nn.Linear(dim, vocab)

    def forward(self, tokens):
        hidden, _ = self.rnn(self.embed(tokens))
        return self.out(hidden)


def agree_on_turns(count, device):
    turns = torch.tensor(count, device=device)
    dist.all_reduce(turns, op=dist.ReduceOp.MIN)
    return int(turns)


class Runner:
    def __init__(self):
        self.local_rank = int(os.environ["LOCAL_RANK"])
        self.cuda = torch.cuda.is_available()
        self.device = torch.device("cuda", self.local_rank) if self.cuda else torch.device("cpu")
        if self.cuda:
            torch.cuda.set_device(self.device)
        dist.init_process_group("nccl" if self.cuda else "gloo")
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        torch.manual_seed(0)
        self.model = DDP(Encoder().to(self.device), device_ids=[self.local_rank] if self.cuda else None)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=2e-3)

    def step(self, tokens):
        tokens = tokens.to(self.device)
        logits = self.model(tokens[:, :-1])
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), ignore_index=PAD)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()

    def fit(self, epochs=2):
        shard = corpus()[self.rank :: self.world]
        for _ in range(epochs):
            queue = pack(shard, size=8)
            while queue:
                self.step(queue.popleft())
        dist.barrier()


if __name__ == "__main__":
    runner = Runner()
    runner.fit()
    dist.destroy_process_group()
