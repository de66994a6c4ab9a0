import torch
from torch.utils.data import Sampler


class BucketBatchSampler(Sampler):
    """Batches of similar length; the order of the batches is drawn anew each epoch."""

    def __init__(self, lengths, batch_size, num_replicas=1, rank=0, seed=0):
        self.order = sorted(range(len(lengths)), key=lengths.__getitem__)
        self.batch_size = batch_size
        self.num_replicas = num_replicas
        self.rank = rank
        self.seed = seed
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def _batches(self):
        batches = [self.order[i : i + self.batch_size] for i in range(0, len(self.order), self.batch_size)]
        usable = len(batches) - len(batches) % self.num_replicas
        generator = torch.Generator().manual_seed(self.seed + self.epoch)
        return [batches[i] for i in torch.randperm(len(batches), generator=generator).tolist()[:usable]]

    def __iter__(self):
        return iter(self._batches()[self.rank :: self.num_replicas])

    def __len__(self):
        return len(self.order) // self.batch_size // self.num_replicas
