"""Which samples does this rank read, and what happens when a loader worker dies?"""

from __future__ import annotations

import itertools
import logging
import os
import random
from collections.abc import Iterator

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler


def seed_worker(worker_id: int) -> None:
    seed = torch.initial_seed() % 2**32
    random.seed(seed)
    np.random.seed(seed)


def workers_per_rank(wanted: int, ranks_on_node: int) -> int:
    return max(0, min(wanted, (os.cpu_count() or 1) // max(1, ranks_on_node)))


class SafeDataLoader:
    """A sharded DataLoader that goes on without workers after one of them was killed.

    It always yields the same number of batches, so the ranks stay in step whatever happens to a worker.
    """

    def __init__(
        self, dataset: Dataset, rank: int, world_size: int, batch_size: int, workers: int, pin_memory: bool,
        seed: int, logger: logging.Logger,
    ) -> None:
        self.logger = logger
        self.sampler = DistributedSampler(
            dataset, num_replicas=world_size, rank=rank, shuffle=True, seed=seed, drop_last=True
        )
        self.in_process = DataLoader(
            dataset, batch_size=batch_size, sampler=self.sampler, num_workers=0, drop_last=True
        )
        self.loader = self.in_process
        if workers > 0:
            self.loader = DataLoader(
                dataset,
                batch_size=batch_size,
                sampler=self.sampler,
                num_workers=workers,
                persistent_workers=True,
                timeout=60,
                worker_init_fn=seed_worker,
                pin_memory=pin_memory,
                drop_last=True,
            )

    def __len__(self) -> int:
        return len(self.loader)

    def set_epoch(self, epoch: int) -> None:
        self.sampler.set_epoch(epoch)

    def __iter__(self) -> Iterator[list[torch.Tensor]]:
        batches = iter(self.loader)
        for done in range(len(self)):
            try:
                batch = next(batches)
            except RuntimeError as problem:
                if self.loader is self.in_process:
                    raise
                self.logger.warning("loader worker lost (%s): continuing without workers", problem)
                self.loader = self.in_process
                batches = itertools.islice(iter(self.in_process), done, None)
                batch = next(batches)
            yield batch
