import itertools
from torch.utils.data import IterableDataset


class LineStream(IterableDataset):
    def __init__(self, path, rank, world):
        self.path, self.rank, self.world = path, rank, world

    def __iter__(self):
        with open(self.path) as f:
            for line in itertools.islice(f, self.rank, None, self.world):
                yield self.encode(line)

    @staticmethod
    def encode(line):
        raw = line.encode("utf-8")[:65].ljust(65, b" ")
        return list(raw)
