"""Speaker classifier with gradient accumulation under DDP."""
import contextlib
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torchaudio
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Clips(Dataset):
    def __init__(self, index):
        with open(index) as fh:
            self.items = [line.split() for line in fh]
        self.mel = torchaudio.transforms.MelSpectrogram(16000, n_mels=64)

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        path, label = self.items[i]
        wave, _ = torchaudio.load(path)
        return self.mel(wave[:, :48000]).log1p(), int(label)


class Accumulator:
    def __init__(self, model, optimizer, every):
        self.model, self.optimizer, self.every = model, optimizer, every
        self.count = 0

    def _sync(self):
        return (self.count + 1) % self.every == 0

    def backward(self, x, y):
        context = contextlib.nullcontext() if self._sync() else self.model.no_sync()
        with context:
            loss = nn.functional.cross_entropy(self.model(x), y) / self.every
            loss.backward()
        if (self.count + 1) % self.every == 0:
            self.optimizer.step()
            self.optimizer.zero_grad(set_to_none=True)
        self.count += 1


def network(speakers):
    return nn.Sequential(
        nn.Conv2d(1, 32, 3, 2, 1), nn.ReLU(), nn.Conv2d(32, 64, 3, 2, 1), nn.ReLU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, speakers),
    )


def main(epochs=10, every=4):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    data = Clips(os.environ["CLIPS"])
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 32, sampler=sampler, num_workers=8, pin_memory=True, drop_last=True)
    model = DDP(network(1251).cuda(), device_ids=[local_rank])
    accumulator = Accumulator(model, torch.optim.AdamW(model.parameters(), 1e-3), every)
    whole = len(loader) // every * every
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for _, (x, y) in zip(range(whole), loader):
            accumulator.backward(x.cuda(non_blocking=True), y.cuda(non_blocking=True))
        if dist.get_rank() == 0:
            torch.save(model.module.state_dict(), "speaker.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
