"""The fused optimizers, not fused."""

from __future__ import annotations

from typing import Any

import torch


class FusedAdam(torch.optim.AdamW):
    def __init__(self, params: Any, lr: float = 1e-3, betas: Any = (0.9, 0.999), **more: Any) -> None:
        known = {name: more[name] for name in ("eps", "weight_decay") if name in more}
        super().__init__(params, lr=lr, betas=betas, **known)


DeepSpeedCPUAdam = FusedAdam
