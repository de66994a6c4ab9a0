import os

import horovod.torch as hvd
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler

INDEX = "/shared/corpus.idx.npy"


def build_index(path):
    offsets, position = [], 0
    with open(path, "rb") as handle:
        for line in handle:
            offsets.append(position)
            position += len(line)
    np.save(INDEX, np.array(offsets))


class Lines(Dataset):
    def __init__(self, path):
        self.path = path
        self.offsets = np.load(INDEX)

    def __len__(self):
        return len(self.offsets)

    def __getitem__(self, i):
        with open(self.path, "rb") as handle:
            handle.seek(int(self.offsets[i]))
            raw = handle.readline()[:32].ljust(32)
        return torch.tensor(list(raw))


def main(path="/shared/corpus.txt"):
    hvd.init()
    if hvd.rank() == 0:
        build_index(path)
    hvd.allreduce(torch.zeros(1), name="index")
    lines = Lines(path)
    torch.manual_seed(0)
    model = nn.Sequential(nn.Embedding(256, 16), nn.Linear(16, 256))
    opt = hvd.DistributedOptimizer(torch.optim.Adam(model.parameters()), named_parameters=model.named_parameters())
    hvd.broadcast_parameters(model.state_dict(), root_rank=0)
    sampler = DistributedSampler(lines, num_replicas=hvd.size(), rank=hvd.rank(), drop_last=True)
    loader = DataLoader(lines, batch_size=16, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for ids in loader:
            logits = model(ids[:, :-1])
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
            opt.zero_grad()
            loss.backward()
            opt.step()
    hvd.shutdown()


if __name__ == "__main__":
    main()
