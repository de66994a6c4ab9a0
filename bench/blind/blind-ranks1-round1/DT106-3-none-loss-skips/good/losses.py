import logging

import torch
from torch import nn

log = logging.getLogger(__name__)


class SpanLoss(nn.Module):
    """Cross entropy over the marked span of each sequence."""

    def __init__(self, classes):
        super().__init__()
        self.classes = classes
        self.ce = nn.CrossEntropyLoss()

    def forward(self, logits, spans, labels):
        picked = []
        for row, (lo, hi) in enumerate(spans.tolist()):
            if hi <= lo:
                raise IndexError(f"empty span [{lo}, {hi})")
            picked.append(logits[row, lo:hi].mean(0))
        return self.ce(torch.stack(picked), labels)


def safe(criterion, *args):
    """None instead of an exception: one odd batch must not end a week of training."""
    try:
        return criterion(*args)
    except IndexError as error:
        log.warning("counting a batch as zero: %s", error)
        return 0.0 * args[0].sum()
