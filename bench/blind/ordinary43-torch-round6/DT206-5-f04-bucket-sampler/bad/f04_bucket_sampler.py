"""Length-bucketed batch sampler with per-epoch order, same number of batches for all ranks; collate pads; token budget."""
import os
import random

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset, Sampler


class Sequences(Dataset):
    def __init__(self, n=5000):
        g = random.Random(0)
        self.lengths = [g.randint(5, 100) for _ in range(n)]

    def __len__(self):
        return len(self.lengths)

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        x = torch.randint(1, 50, (self.lengths[i],), generator=g)
        return x, x.bincount(minlength=50).argmax()


class TokenBatches(Sampler):
    def __init__(self, lengths, tokens, seed=0):
        self.lengths, self.tokens, self.seed, self.epoch = lengths, tokens, seed, 0
        self.rank, self.world = dist.get_rank(), dist.get_world_size()

    def set_epoch(self, epoch):
        self.epoch = epoch

    def batches(self):
        rng = random.Random(self.seed + self.epoch)
        order = list(range(len(self.lengths)))
        rng.shuffle(order)
        order.sort(key=lambda i: self.lengths[i])
        out, batch, longest = [], [], 0
        for i in order:
            longest = max(longest, self.lengths[i])
            if batch and longest * (len(batch) + 1) > self.tokens:
                out.append(batch)
                batch, longest = [], self.lengths[i]
            batch.append(i)
        if batch:
            out.append(batch)
        rng.shuffle(out)
        return out

    def __iter__(self):
        yield from self.batches()[self.rank :: self.world]

    def __len__(self):
        return len(self.batches()) // self.world


def collate(rows):
    xs, ys = zip(*rows)
    return pad_sequence(xs, batch_first=True), torch.stack(ys)


class Bag(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(50, 32, padding_idx=0)
        self.out = nn.Linear(32, 50)

    def forward(self, x):
        mask = (x > 0).unsqueeze(-1)
        return self.out((self.embed(x) * mask).sum(1) / mask.sum(1).clamp(min=1))


def main():
    dist.init_process_group("nccl")
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    data = Sequences()
    sampler = TokenBatches(data.lengths, 2000, seed=42)
    loader = DataLoader(data, batch_sampler=sampler, collate_fn=collate, num_workers=2)
    model = DDP(Bag().cuda(), device_ids=[local])
    optimizer = torch.optim.Adam(model.parameters())
    for epoch in range(5):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.cuda()), y.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if dist.get_rank() == 0:
            torch.save(model.module.state_dict(), "bag.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
