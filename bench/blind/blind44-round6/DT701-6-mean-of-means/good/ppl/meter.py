import math

import torch
import torch.distributed as dist


class Perplexity:
    def __init__(self, device):
        self.nll = torch.zeros((), device=device)
        self.tokens = torch.zeros((), device=device)

    def add(self, loss, tokens):
        self.nll += loss.detach() * tokens
        self.tokens += tokens

    def value(self):
        both = torch.stack([self.nll, self.tokens])
        dist.all_reduce(both)
        return math.exp(both[0].item() / both[1].item())
