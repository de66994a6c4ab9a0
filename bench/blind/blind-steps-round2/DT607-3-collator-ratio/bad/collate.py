import torch


class MaskCollator:
    def __init__(self, ratio: float, vocab: int):
        self.ratio = ratio
        self.mask_id = vocab

    def __call__(self, rows):
        tokens = torch.stack(rows)
        hidden = torch.rand(tokens.shape) < self.ratio
        return tokens.masked_fill(hidden, self.mask_id), tokens, hidden
