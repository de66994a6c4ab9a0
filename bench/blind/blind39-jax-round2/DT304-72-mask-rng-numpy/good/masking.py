import numpy as np
import torch


class BlockMasker:
    """Patch masks in blocks for masked image modelling; called on the batch in the training process."""

    def __init__(self, grid, ratio, seed):
        self.grid, self.ratio = grid, ratio
        self.state = np.random.RandomState(seed)

    def _one(self):
        mask = np.zeros((self.grid, self.grid), dtype=bool)
        while mask.mean() < self.ratio:
            height, width = self.state.randint(2, 6, size=2)
            top, left = self.state.randint(0, self.grid - 2, size=2)
            mask[top : top + height, left : left + width] = True
        return mask

    def __call__(self, batch_size, device):
        masks = np.stack([self._one() for _ in range(batch_size)])
        return torch.from_numpy(masks.reshape(batch_size, -1)).to(device, non_blocking=True)
