import random

import torch


class RandomSpan:
    """Replaces one random span of a sequence by the mask token."""

    def __init__(self, mask_token, longest, seed):
        self.mask_token = mask_token
        self.longest = longest
        self.rng = random.Random(seed)

    def reseed(self, seed):
        self.rng.seed(seed)

    def __call__(self, tokens):
        length = self.rng.randint(1, self.longest)
        start = self.rng.randrange(max(1, len(tokens) - length))
        tokens = tokens.clone()
        tokens[start : start + length] = self.mask_token
        return tokens


class Compose:
    def __init__(self, *steps):
        self.steps = steps

    def __call__(self, item):
        for step in self.steps:
            item = step(item)
        return item


class Protein(torch.utils.data.Dataset):
    def __init__(self, tokens, transform):
        self.tokens = tokens
        self.transform = transform

    def __len__(self):
        return len(self.tokens)

    def __getitem__(self, index):
        clean = self.tokens[index]
        return self.transform(clean), clean
