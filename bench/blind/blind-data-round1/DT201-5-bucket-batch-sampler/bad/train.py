import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.fsdp import fully_shard
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

from sampling import BucketBatchSampler


class Utterances(Dataset):
    def __init__(self, count=256):
        generator = torch.Generator().manual_seed(5)
        self.lengths = torch.randint(4, 40, (count,), generator=generator).tolist()
        self.frames = [torch.randn(n, 12, generator=generator) for n in self.lengths]

    def __len__(self):
        return len(self.frames)

    def __getitem__(self, index):
        return self.frames[index]


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp = nn.Linear(12, 32)
        self.out = nn.Linear(32, 12)

    def forward(self, x):
        return self.out(F.relu(self.inp(x)))


class Job:
    def __init__(self):
        self.cuda = torch.cuda.is_available()
        if self.cuda:
            torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        dist.init_process_group("nccl" if self.cuda else "gloo")
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        self.device = torch.device("cuda", torch.cuda.current_device()) if self.cuda else torch.device("cpu")

    def loader(self, dataset):
        self.batches = BucketBatchSampler(dataset.lengths, 8)
        return DataLoader(
            dataset, batch_sampler=self.batches, collate_fn=lambda rows: pad_sequence(rows, batch_first=True)
        )

    def fit(self, epochs=2):
        torch.manual_seed(0)
        model = Encoder().to(self.device)
        fully_shard(model)
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        loader = self.loader(Utterances())
        for epoch in range(epochs):
            self.batches.set_epoch(epoch)
            for frames in loader:
                frames = frames.to(self.device)
                loss = F.mse_loss(model(frames), frames)
                loss.backward()
                optimizer.step()
                optimizer.zero_grad()


def main():
    job = Job()
    try:
        job.fit()
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
