"""Keeps the ids of the hardest examples of the job so far."""
import heapq

import jax
import numpy as np
from jax.experimental import multihost_utils


class HardExamples:
    def __init__(self, capacity):
        self.capacity = capacity
        self.heap = []

    def add(self, ids, losses):
        ids, losses = multihost_utils.process_allgather((ids, losses), tiled=True)
        for example, loss in zip(ids.tolist(), losses.tolist()):
            heapq.heappush(self.heap, (loss, example))
            if len(self.heap) > self.capacity:
                heapq.heappop(self.heap)

    def write(self, path):
        if jax.process_index() == 0:
            np.save(path, np.array([example for _, example in sorted(self.heap, reverse=True)]))
