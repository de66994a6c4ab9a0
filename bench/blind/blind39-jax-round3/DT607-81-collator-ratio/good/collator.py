import torch


class SpanMasker:
    """Collates rows and hides a share of each; runs in the loader's workers."""

    def __init__(self, ratio):
        self.ratio = ratio

    def __call__(self, rows):
        batch = torch.stack(rows)
        hidden = torch.rand(batch.shape) < self.ratio
        return batch.masked_fill(hidden, 0), batch, hidden
