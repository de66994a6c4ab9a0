import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler

from losses import SpanLoss, safe


class Sentences(Dataset):
    def __init__(self, n=256, length=12, vocab=60, classes=4):
        g = torch.Generator().manual_seed(6)
        self.ids = torch.randint(1, vocab, (n, length), generator=g)
        start = torch.randint(0, length - 3, (n, 1), generator=g)
        self.spans = torch.cat([start, start + torch.randint(1, 4, (n, 1), generator=g)], 1)
        self.labels = self.ids.sum(1) % classes

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        return self.ids[i], self.spans[i], self.labels[i]


class Tagger(nn.Module):
    def __init__(self, vocab=60, dim=24, classes=4):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.out = nn.Linear(dim, classes)

    def forward(self, ids):
        return self.out(torch.relu(self.embed(ids)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=16)
    args = parser.parse_args()
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(Tagger().to(device), device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    criterion = SpanLoss(4)
    data = Sentences()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=args.batch_size, sampler=sampler, drop_last=True)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for ids, spans, labels in loader:
            optimizer.zero_grad()
            logits = model(ids.to(device))
            loss = safe(criterion, logits, spans, labels.to(device))
            if loss is None:
                continue
            loss.backward()
            optimizer.step()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
