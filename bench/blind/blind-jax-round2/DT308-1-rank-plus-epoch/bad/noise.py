import torch


class EpochNoise:
    """Reproducible noise: reseeded at the beginning of every epoch."""

    def __init__(self, seed, rank, world):
        self.seed, self.rank, self.world = seed, rank, world
        self.generator = torch.Generator()

    def start_epoch(self, epoch):
        self.generator.manual_seed(self.seed + self.rank + epoch)

    def __call__(self, x, scale):
        return x + scale * torch.randn(x.shape, generator=self.generator)
