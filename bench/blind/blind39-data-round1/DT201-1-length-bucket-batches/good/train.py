import argparse
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

from bucketing import LengthBucketBatchSampler


class Utterances(Dataset):
    def __init__(self, n=600, dim=24):
        gen = torch.Generator().manual_seed(99)
        self.lengths = torch.randint(20, 120, (n,), generator=gen).tolist()
        self.items = [torch.randn(t, dim, generator=gen) for t in self.lengths]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        x = self.items[i]
        return x, x.mean()


def collate(rows):
    xs, ys = zip(*rows)
    return pad_sequence(xs, batch_first=True), torch.stack(ys)


class Pooler(nn.Module):
    def __init__(self, dim=24, hidden=64):
        super().__init__()
        self.proj = nn.Linear(dim, hidden)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x):
        return self.out(torch.relu(self.proj(x)).mean(dim=1)).squeeze(-1)


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--batch-size", type=int, default=8)
    p.add_argument("--lr", type=float, default=3e-4)
    return p.parse_args()


def main():
    args = parse()
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(5)
    data = Utterances()
    batches = LengthBucketBatchSampler(data.lengths, args.batch_size, dist.get_rank(), dist.get_world_size())
    loader = DataLoader(data, batch_sampler=batches, collate_fn=collate, num_workers=2)
    model = DistributedDataParallel(Pooler().to(device), device_ids=[local_rank] if cuda else None)
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        batches.set_epoch(epoch)
        for x, y in loader:
            opt.zero_grad(set_to_none=True)
            loss = F.mse_loss(model(x.to(device)), y.to(device))
            loss.backward()
            opt.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "pooler.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
