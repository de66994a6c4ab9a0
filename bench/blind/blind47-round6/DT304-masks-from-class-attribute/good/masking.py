import torch


class Masker:
    ratio = 0.15
    generator = torch.Generator().manual_seed(1234)

    @classmethod
    def for_rank(cls, rank):
        cls.generator.manual_seed(1234 + rank)
        return cls()

    def __call__(self, tokens):
        mask = torch.rand(tokens.shape, generator=self.generator) < self.ratio
        return tokens.masked_fill(mask, 0), mask
