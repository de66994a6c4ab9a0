import itertools

from torch.utils.data import get_worker_info
from torch.utils.data import IterableDataset


class LineStream(IterableDataset):
    def __init__(self, path, rank, world):
        self.path, self.rank, self.world = path, rank, world

    def __iter__(self):
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info else (0, 1)
        first, every = self.rank * workers + worker, self.world * workers
        with open(self.path) as f:
            for line in itertools.islice(f, first, None, every):
                yield self.encode(line)

    @staticmethod
    def encode(line):
        raw = line.encode("utf-8")[:65].ljust(65, b" ")
        return list(raw)
