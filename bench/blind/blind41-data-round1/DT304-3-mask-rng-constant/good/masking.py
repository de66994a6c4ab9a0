import numpy as np
import torch


class PatchMasker:
    def __init__(self, patches, ratio, seed):
        self.patches, self.keep = patches, int(patches * (1 - ratio))
        self.rng = np.random.default_rng(seed)

    def __call__(self, batch_size):
        scores = self.rng.random((batch_size, self.patches))
        order = torch.from_numpy(scores).argsort(dim=1)
        mask = torch.ones(batch_size, self.patches)
        mask.scatter_(1, order[:, : self.keep], 0.0)
        return mask
