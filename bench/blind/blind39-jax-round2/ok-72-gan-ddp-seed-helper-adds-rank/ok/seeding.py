import contextlib
import os
import random

import numpy as np
import torch


def rank_seed(seed):
    """A different, well separated number for each rank of the job."""
    return int(np.random.SeedSequence([seed, int(os.environ.get("RANK", 0))]).generate_state(1)[0])


def seed_all(seed, per_rank=True):
    seed = rank_seed(seed) if per_rank else seed
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    return seed


@contextlib.contextmanager
def common_seed(seed):
    state, on_gpu = torch.get_rng_state(), torch.cuda.get_rng_state()
    seed_all(seed, per_rank=False)
    try:
        yield
    finally:
        torch.set_rng_state(state)
        torch.cuda.set_rng_state(on_gpu)
