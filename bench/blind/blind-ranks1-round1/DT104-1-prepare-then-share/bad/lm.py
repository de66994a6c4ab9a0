import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from corpus import encode, shared_vocabulary


class TinyLM(nn.Module):
    def __init__(self, size, dim=16):
        super().__init__()
        self.embed = nn.Embedding(size, dim)
        self.mix = nn.GRU(dim, dim, batch_first=True)
        self.out = nn.Linear(dim, size)

    def forward(self, ids):
        return self.out(self.mix(self.embed(ids))[0])


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(0)
    path = os.environ.get("CORPUS", "corpus.txt")
    vocabulary = shared_vocabulary(path, 64, is_lead=rank == 0)
    data = TensorDataset(encode(path, vocabulary))
    sampler = DistributedSampler(data, shuffle=True, drop_last=True)
    loader = DataLoader(data, batch_size=10, sampler=sampler, drop_last=True)
    model = DDP(TinyLM(64))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for (ids,) in loader:
            logits = model(ids[:, :-1])
            loss = F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    if rank == 0:
        torch.save({"model": model.module.state_dict(), "vocabulary": vocabulary}, "lm.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
