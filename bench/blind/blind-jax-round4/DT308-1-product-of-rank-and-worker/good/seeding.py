import random

import numpy as np
from torch.utils.data import get_worker_info


class WorkerSeeder:
    def __init__(self, seed, rank):
        self.seed, self.rank = seed, rank

    def __call__(self, worker_id):
        seed = self.seed + self.rank * get_worker_info().num_workers + worker_id
        random.seed(seed)
        np.random.seed(seed)
