import random

from torch.utils.data import DistributedSampler, Sampler


class LengthBuckets(Sampler):
    """Batches of similar length from whatever index sampler it is given."""

    def __init__(self, sampler, lengths, batch_size, bucket=50):
        self.sampler, self.lengths = sampler, lengths
        self.batch_size, self.bucket = batch_size, bucket

    def __iter__(self):
        pool = []
        for index in self.sampler:
            pool.append(index)
            if len(pool) == self.batch_size * self.bucket:
                yield from self._drain(pool)
                pool = []
        yield from self._drain(pool)

    def _drain(self, pool):
        pool = sorted(pool, key=lambda i: self.lengths[i])
        whole = len(pool) // self.batch_size
        for k in range(whole):
            yield pool[k * self.batch_size : (k + 1) * self.batch_size]

    def __len__(self):
        per_pool = self.batch_size * self.bucket
        full, rest = divmod(len(self.sampler), per_pool)
        return full * self.bucket + rest // self.batch_size


def length_buckets(dataset, batch_size, seed):
    return LengthBuckets(DistributedSampler(dataset, seed=seed, drop_last=True), dataset.lengths, batch_size)
