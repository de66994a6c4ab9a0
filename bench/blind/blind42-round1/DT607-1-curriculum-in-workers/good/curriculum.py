"""Sequence-length curriculum: the dataset crops to a length that grows with the epoch."""
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class GrowingCrops(Dataset):
    def __init__(self, path, first=64, last=512, epochs=20):
        self.series = torch.load(path, map_location="cpu", mmap=True)
        self.first, self.last, self.epochs = first, last, epochs
        self.length = first

    def advance(self, epoch):
        share = epoch / (self.epochs - 1)
        self.length = int(self.first + share * (self.last - self.first))

    def __len__(self):
        return len(self.series)

    def __getitem__(self, i):
        row = self.series[i]
        start = torch.randint(0, len(row) - self.length, ()).item()
        return row[start : start + self.length].float()


class Forecaster(nn.Module):
    def __init__(self, width=128):
        super().__init__()
        self.rnn = nn.LSTM(1, width, batch_first=True)
        self.out = nn.Linear(width, 1)

    def forward(self, x):
        states, _ = self.rnn(x[:, :-1, None])
        return self.out(states).squeeze(-1)


def main(epochs=20):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    data = GrowingCrops(os.environ["SERIES"], epochs=epochs)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(
        data,
        batch_size=64,
        sampler=sampler,
        num_workers=4,
        pin_memory=True,
        drop_last=True,
        persistent_workers=False,
    )
    model = DDP(Forecaster().cuda(), device_ids=[local_rank])
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        data.advance(epoch)
        for x in loader:
            x = x.cuda(non_blocking=True)
            loss = nn.functional.mse_loss(model(x), x[:, 1:])
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "forecaster.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
