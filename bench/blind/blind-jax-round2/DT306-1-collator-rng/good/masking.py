import random

import torch
from torch.utils.data import get_worker_info


class MaskCollator:
    def __init__(self, mask_id, rate, seed):
        self.mask_id, self.rate = mask_id, rate
        self.seed = seed
        self._random = None

    @property
    def random(self):
        if self._random is None:
            info = get_worker_info()
            self._random = random.Random(self.seed if info is None else info.seed)
        return self._random

    def __call__(self, samples):
        tokens = torch.stack(samples)
        labels = torch.full_like(tokens, -100)
        for row in range(tokens.shape[0]):
            count = max(1, int(self.rate * tokens.shape[1]))
            for column in self.random.sample(range(tokens.shape[1]), count):
                labels[row, column] = tokens[row, column]
                tokens[row, column] = self.mask_id
        return {"tokens": tokens, "labels": labels}
