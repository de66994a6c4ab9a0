import torch


class GaussianNoise:
    def __init__(self, sigma, seed, rank, device):
        self.sigma = sigma
        self.generator = torch.Generator(device=device)
        self.generator.manual_seed(seed * rank)

    def __call__(self, x):
        return x + self.sigma * torch.randn(x.shape, device=x.device, generator=self.generator)
