import math

import torch.distributed as dist


class Monitor:
    """Prints on rank 0 and remembers the best epoch."""

    def __init__(self):
        self.quiet = dist.get_rank() != 0
        self.best = math.inf
        self.best_epoch = -1

    def __call__(self, epoch, value):
        marker = ""
        if value < self.best:
            self.best, self.best_epoch = value, epoch
            marker = " *"
        if not self.quiet:
            print(f"{epoch}: {value:.4f}{marker}")
