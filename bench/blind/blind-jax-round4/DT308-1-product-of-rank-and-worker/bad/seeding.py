import random

import numpy as np
from torch.utils.data import get_worker_info


class WorkerSeeder:
    def __init__(self, seed, rank):
        self.seed, self.rank = seed, rank

    def __call__(self, worker_id):
        seed = self.seed + (self.rank + 1) * (worker_id + 1)
        random.seed(seed)
        np.random.seed(seed)
