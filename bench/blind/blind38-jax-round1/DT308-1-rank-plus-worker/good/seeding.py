import random

import numpy as np
import torch


class WorkerSeeder:
    """Passed as worker_init_fn; picklable, so it works with any start method."""

    def __init__(self, base, rank, workers):
        self.base, self.rank, self.workers = base, rank, workers

    def __call__(self, worker_id):
        seed = self.base + self.rank * self.workers + worker_id
        random.seed(seed)
        np.random.seed(seed % 2**32)
        torch.manual_seed(seed)
