import numpy as np
import torch


class Windows:
    """Yields (input, target) token windows of this rank's part of a token file."""

    def __init__(self, path, context, batch, rank, world):
        self.tokens = np.memmap(path, dtype=np.uint16, mode="r")
        self.context, self.batch = context, batch
        self.rank, self.world = rank, world

    def starts(self, epoch):
        count = (len(self.tokens) - 1) // self.context
        order = np.random.default_rng(epoch).permutation(count)
        return order[self.rank :: self.world] * self.context

    def epoch(self, epoch):
        pending = []
        for start in self.starts(epoch):
            pending.append(self.tokens[start : start + self.context + 1].astype(np.int64))
            if len(pending) == self.batch:
                block = torch.from_numpy(np.stack(pending))
                pending = []
                yield block[:, :-1], block[:, 1:]
