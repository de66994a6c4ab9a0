import torch


class Masker:
    ratio = 0.15
    generator = torch.Generator().manual_seed(1234)

    def __call__(self, tokens):
        mask = torch.rand(tokens.shape, generator=self.generator) < self.ratio
        return tokens.masked_fill(mask, 0), mask
