import math

import torch


class Perplexity:
    def __init__(self, device):
        self.nll = torch.zeros((), device=device)
        self.tokens = torch.zeros((), device=device)

    def add(self, loss, tokens):
        self.nll += loss.detach() * tokens
        self.tokens += tokens

    def value(self):
        return math.exp(self.nll.item() / self.tokens.item())
