import itertools
from typing import Iterator, Protocol

import torch
import torch.distributed as dist
from torch.utils.data import IterableDataset, get_worker_info


class Splitter(Protocol):
    def __call__(self, lines: Iterator[str]) -> Iterator[str]: ...


def by_rank(lines):
    return itertools.islice(lines, dist.get_rank(), None, dist.get_world_size())


def by_rank_and_worker(lines):
    info = get_worker_info()
    index, count = (info.id, info.num_workers) if info else (0, 1)
    place = dist.get_rank() * count + index
    return itertools.islice(lines, place, None, dist.get_world_size() * count)


class Lines(IterableDataset):
    def __init__(self, path: str, split: Splitter = by_rank) -> None:
        self.path, self.split = path, split

    def __iter__(self):
        with open(self.path) as lines:
            for line in self.split(lines):
                yield torch.tensor([float(v) for v in line.split(",")])
