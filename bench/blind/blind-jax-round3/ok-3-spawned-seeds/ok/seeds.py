import numpy as np
import torch
from torch.utils.data import get_worker_info


class Seeds:
    def __init__(self, entropy, rank, world):
        self.root = np.random.SeedSequence(entropy)
        self.common, *ranks = self.root.spawn(world + 1)
        self.own = ranks[rank]

    def number(self, which="own"):
        return int(getattr(self, which).generate_state(1)[0])


def give_generator(worker_id):
    info = get_worker_info()
    info.dataset.rng = np.random.default_rng([info.seed, worker_id])
