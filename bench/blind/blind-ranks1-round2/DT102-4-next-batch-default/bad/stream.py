import numpy as np
import torch


class TrajectoryStore:
    """Trajectories on disk; this rank trains on its slice of them."""

    def __init__(self, count, rank, world, horizon=4, seed=0):
        rng = np.random.default_rng(seed)
        self.data = rng.normal(size=(count, horizon, 6)).astype(np.float32)
        order = rng.permutation(count)
        self.mine = np.array_split(order, world)[rank]

    def minibatches(self, size):
        for lo in range(0, len(self.mine), size):
            chosen = self.mine[lo : lo + size]
            yield torch.from_numpy(self.data[chosen])
