import itertools

import torch
from torch.utils.data import IterableDataset, get_worker_info


class Corpus(IterableDataset):
    def __init__(self, path, rank, world):
        self.path, self.rank, self.world = path, rank, world

    def __iter__(self):
        info = get_worker_info()
        workers, worker = (1, 0) if info is None else (info.num_workers, info.id)
        index, count = self.rank * workers + worker, self.world * workers
        with open(self.path) as handle:
            for line in itertools.islice(handle, index, None, count):
                numbers = [float(v) for v in line.split(",")]
                yield torch.tensor(numbers[:-1]), torch.tensor(numbers[-1])
