"""Small synthetic pictures: a bright square in one of four corners, or in none."""

from __future__ import annotations

import torch
from torch.utils.data import Dataset

SIDE = 16


class Corners(Dataset):
    """Pictures are drawn from their index, so that any process and any worker sees the same data set."""

    def __init__(self, size: int) -> None:
        self.size = size

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        generator = torch.Generator().manual_seed(index)
        picture = torch.rand(1, SIDE, SIDE, generator=generator) * 0.6
        label = index % 5
        if label < 4:
            top, left = (label // 2) * 9 + 1, (label % 2) * 9 + 1
            picture[:, top : top + 5, left : left + 5] += 0.8
        return picture, label
