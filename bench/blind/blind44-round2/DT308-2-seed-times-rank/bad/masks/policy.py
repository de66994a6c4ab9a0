import torch


class MaskPolicy:
    """Random spans that the model has to fill in."""

    def __init__(self, ratio, seed, rank, device):
        self.ratio = ratio
        self.gen = torch.Generator(device=device).manual_seed(seed * rank)

    def __call__(self, x):
        return torch.rand(x.shape[:2], generator=self.gen, device=x.device) < self.ratio
