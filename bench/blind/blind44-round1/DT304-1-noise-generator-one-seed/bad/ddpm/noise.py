import torch


class NoiseSource:
    """Own generator, so that the noise does not depend on what else draws."""

    def __init__(self, seed, device):
        self.gen = torch.Generator(device=device).manual_seed(seed)
        self.device = device

    def timesteps(self, n, total):
        return torch.randint(0, total, (n,), generator=self.gen, device=self.device)

    def like(self, x):
        return torch.randn(x.shape, generator=self.gen, device=self.device)
