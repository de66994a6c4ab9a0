import random

import torch
from torch.utils.data import get_worker_info


class MaskingCollator:
    def __init__(self, rate, mask_id, seed):
        self.rate, self.mask_id, self.seed = rate, mask_id, seed
        self.rng = None

    def __call__(self, rows):
        if self.rng is None:
            info = get_worker_info()
            self.rng = random.Random(self.seed if info is None else self.seed + info.seed)
        tokens = torch.stack(rows)
        targets = torch.full_like(tokens, -100)
        for i, row in enumerate(tokens):
            chosen = [j for j in range(len(row)) if self.rng.random() < self.rate]
            targets[i, chosen] = row[chosen]
            tokens[i, chosen] = self.mask_id
        return tokens, targets
