import itertools

from torch.utils.data import DataLoader, DistributedSampler


class Feed:
    def __init__(self, dataset, batch, seed):
        self.sampler = DistributedSampler(dataset, seed=seed)
        self.loader = DataLoader(dataset, batch, sampler=self.sampler, drop_last=True)

    def epoch(self, number):
        self.sampler.set_epoch(number)
        return iter(self.loader)

    def forever(self):
        for number in itertools.count():
            yield from self.epoch(number)
