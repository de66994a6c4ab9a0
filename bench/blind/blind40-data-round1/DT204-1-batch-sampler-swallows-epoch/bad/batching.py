import torch
from torch.utils.data import Dataset, DistributedSampler


class Utterances(Dataset):
    def __init__(self, n=600, seed=3):
        gen = torch.Generator().manual_seed(seed)
        self.lengths = torch.randint(10, 80, (n,), generator=gen).tolist()
        self.weight = torch.randn(8, generator=gen)

    def __len__(self):
        return len(self.lengths)

    def __getitem__(self, i):
        gen = torch.Generator().manual_seed(i)
        frames = torch.randn(self.lengths[i], 8, generator=gen)
        return frames, (frames.mean(0) @ self.weight > 0).float()


class BucketBatches:
    """Batches of similar length from the indices a distributed sampler hands out."""

    def __init__(self, sampler: DistributedSampler, lengths, batch_size, pool=8):
        self.sampler = sampler
        self.lengths = lengths
        self.batch_size = batch_size
        self.pool = pool
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return len(self.sampler) // self.batch_size

    def __iter__(self):
        waiting, size = [], self.batch_size
        for index in self.sampler:
            waiting.append(index)
            if len(waiting) == size * self.pool:
                yield from self._cut(waiting)
                waiting = []
        yield from self._cut(waiting)

    def _cut(self, indices):
        ordered = sorted(indices, key=self.lengths.__getitem__)
        for start in range(0, len(ordered) - self.batch_size + 1, self.batch_size):
            yield ordered[start : start + self.batch_size]
