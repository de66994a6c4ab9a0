import os

import jax
import numpy as np

from . import dist


def prepare(path, n=10_000):
    with dist.main_first("prepare"):
        if not os.path.exists(path):
            np.save(path, np.random.default_rng(0).integers(0, 64, n).astype(np.uint16))
    return np.load(path, mmap_mode="r")


class Loader:
    """Windows of a token file; hosts take disjoint slices of one shuffled order."""

    def __init__(self, tokens, seq_len, global_batch, seed):
        self.tokens = tokens
        self.seq_len = seq_len
        self.per_host = global_batch // jax.process_count()
        self.global_batch = global_batch
        self.seed = seed
        self.windows = (len(tokens) - 1) // seq_len

    def __len__(self):
        return self.windows // self.global_batch

    def epoch(self, epoch):
        order = np.random.default_rng((self.seed, epoch)).permutation(self.windows)
        first = jax.process_index() * self.per_host
        for i in range(len(self)):
            rows = order[i * self.global_batch + first : i * self.global_batch + first + self.per_host]
            x = np.stack([self.tokens[r * self.seq_len : (r + 1) * self.seq_len + 1] for r in rows])
            yield x.astype(np.int32)
