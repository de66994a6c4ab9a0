import os
import random

import numpy as np
import torch


class Seeds:
    def __init__(self, base):
        self.base, self.rank = base, int(os.environ["RANK"])

    def apply(self, per_rank):
        value = self.base + (self.rank if per_rank else 0)
        random.seed(value)
        np.random.seed(value)
        torch.manual_seed(value)
