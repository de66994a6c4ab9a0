import functools
import random

import numpy as np


def seed_worker(worker_id, *, base, rank, workers):
    value = base + rank * workers + worker_id
    random.seed(value)
    np.random.seed(value)


def init_fn(base, rank, workers):
    return functools.partial(seed_worker, base=base, rank=rank, workers=workers)
