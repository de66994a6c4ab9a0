"""Windowed statistics that know about the process group."""
from __future__ import annotations

import torch
import torch.distributed as dist


class WindowMeter:
    """Sum and count of a quantity since the last reset; `mean` is over all ranks."""

    def __init__(self, device: torch.device) -> None:
        self._buf = torch.zeros(2, dtype=torch.float64, device=device)

    def update(self, value: torch.Tensor, n: int = 1) -> None:
        self._buf[0] += value.detach().double() * n
        self._buf[1] += n

    @property
    def mean(self) -> float:
        total = self._buf.clone()
        dist.all_reduce(total)
        return (total[0] / total[1].clamp(min=1)).item()

    def reset(self) -> None:
        self._buf.zero_()
