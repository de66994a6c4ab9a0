from dataclasses import dataclass, replace

from torch.utils.data import DataLoader, DistributedSampler


@dataclass(frozen=True)
class LoaderOptions:
    batch_size: int = 32
    workers: int = 4
    shuffle: bool = True

    def kwargs(self):
        return dict(batch_size=self.batch_size, num_workers=self.workers, persistent_workers=True)


TRAIN = LoaderOptions()
EVAL = replace(TRAIN, batch_size=64, workers=0, shuffle=False)


def make(dataset, options, drop_last=False):
    sampler = DistributedSampler(dataset, shuffle=options.shuffle, drop_last=drop_last)
    return DataLoader(dataset, sampler=sampler, drop_last=drop_last, **options.kwargs())
