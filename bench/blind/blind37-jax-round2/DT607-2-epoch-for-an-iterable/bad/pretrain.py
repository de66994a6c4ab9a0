import os
from itertools import islice

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader

from pack import Packed

STEPS_PER_EPOCH = 500


class Model(nn.Module):
    def __init__(self, vocab=16_000, width=192):
        super().__init__()
        self.embed = nn.Embedding(vocab, width)
        self.gru = nn.GRU(width, width, batch_first=True)
        self.out = nn.Linear(width, vocab)

    def forward(self, ids):
        hidden, _ = self.gru(self.embed(ids[:, :-1]))
        return nn.functional.cross_entropy(self.out(hidden).flatten(0, 1), ids[:, 1:].flatten())


def main(epochs=10):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    documents = torch.load("documents.pt", map_location="cpu")
    data = Packed(documents, 257, dist.get_rank(), dist.get_world_size(), seed=8)
    loader = DataLoader(data, batch_size=16, num_workers=4, drop_last=True, persistent_workers=True)
    model = DistributedDataParallel(Model().cuda(), device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), lr=6e-4)
    for epoch in range(epochs):
        data.set_epoch(epoch)
        for step, ids in enumerate(islice(forever(loader), STEPS_PER_EPOCH)):
            loss = model(ids.cuda(non_blocking=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if dist.get_rank() == 0:
            torch.save(model.module.state_dict(), "packed.pt")
    dist.destroy_process_group()


def forever(loader):
    while True:
        yield from loader


if __name__ == "__main__":
    main()
