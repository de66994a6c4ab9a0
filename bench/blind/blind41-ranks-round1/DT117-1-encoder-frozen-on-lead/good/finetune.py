import os
from dataclasses import dataclass, field

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


@dataclass
class Job:
    rank: int = field(default_factory=lambda: int(os.environ["RANK"]))
    local_rank: int = field(default_factory=lambda: int(os.environ["LOCAL_RANK"]))
    epochs: int = 2

    @property
    def lead(self):
        return self.rank == 0

    @property
    def device(self):
        return torch.device("cuda", self.local_rank) if torch.cuda.is_available() else torch.device("cpu")


class Tagger(nn.Module):
    def __init__(self, vocab=300, tags=9):
        super().__init__()
        self.encoder = nn.Sequential(nn.Embedding(vocab, 48), nn.Linear(48, 48), nn.ReLU())
        self.head = nn.Linear(48, tags)

    def forward(self, tokens):
        return self.head(self.encoder(tokens))


def build(job, path="encoder.pt"):
    torch.manual_seed(0)
    model = Tagger()
    model.encoder.load_state_dict(torch.load(path, map_location="cpu"))
    model.encoder.requires_grad_(False)
    if job.lead:
        print("encoder is kept fixed")
    return model.to(job.device)


def main():
    job = Job()
    if torch.cuda.is_available():
        torch.cuda.set_device(job.local_rank)
        dist.init_process_group("nccl")
    else:
        dist.init_process_group("gloo")
    model = DistributedDataParallel(build(job))
    opt = torch.optim.Adam((p for p in model.parameters() if p.requires_grad), lr=1e-3)
    gen = torch.Generator().manual_seed(2)
    data = TensorDataset(torch.randint(0, 300, (640, 12), generator=gen), torch.randint(0, 9, (640, 12), generator=gen))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    for epoch in range(job.epochs):
        sampler.set_epoch(epoch)
        for tokens, tags in loader:
            logits = model(tokens.to(job.device))
            loss = F.cross_entropy(logits.flatten(0, 1), tags.to(job.device).flatten())
            opt.zero_grad()
            loss.backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
