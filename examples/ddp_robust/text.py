"""A token sequence with a rule to learn: every token is the last one plus a step that the first token fixes."""

from __future__ import annotations

import torch
from torch.utils.data import Dataset


class CountingDataset(Dataset):
    """Sequences such as 3, 5, 7, 9, … modulo the vocabulary; inputs and targets are shifted by one."""

    def __init__(self, size: int, seq_len: int, vocab_size: int) -> None:
        self.size = size
        self.seq_len = seq_len
        self.vocab_size = vocab_size

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor]:
        start = (index * 7919) % self.vocab_size
        stride = 1 + start % 3
        tokens = (start + stride * torch.arange(self.seq_len + 1)) % self.vocab_size
        return tokens[:-1], tokens[1:]
