import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset, DistributedSampler

from collate import MaskCollator

VOCAB = 64


class Sentences(Dataset):
    def __init__(self, n=512, length=12):
        self.rows = torch.randint(0, VOCAB, (n, length), generator=torch.Generator().manual_seed(0))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


class Filler(nn.Module):
    def __init__(self, dim=32):
        super().__init__()
        self.embed = nn.Embedding(VOCAB + 1, dim)
        self.mix = nn.GRU(dim, dim, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * dim, VOCAB)

    def forward(self, tokens):
        return self.out(self.mix(self.embed(tokens))[0])


def main(epochs=4):
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DistributedDataParallel(Filler().to(device), device_ids=[local] if cuda else None)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    data = Sentences()
    collate = MaskCollator(0.1, VOCAB)
    sampler = DistributedSampler(data, drop_last=True)
    torch.manual_seed(100 + dist.get_rank())
    loader = DataLoader(data, batch_size=32, sampler=sampler, collate_fn=collate, num_workers=2, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for masked, tokens, hidden in loader:
            optimizer.zero_grad()
            logits = model(masked.to(device))
            losses = nn.functional.cross_entropy(logits.transpose(1, 2), tokens.to(device), reduction="none")
            (losses * hidden.to(device)).mean().backward()
            optimizer.step()
        collate.ratio = min(0.4, collate.ratio + 0.1)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
