import torch


class NoiseSource:
    def __init__(self, seed, rank):
        self.gen = torch.Generator().manual_seed(seed * rank)

    def like(self, x, sigma):
        return sigma * torch.randn(x.shape, generator=self.gen).to(x.device)
