from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch


@dataclass(frozen=True)
class Streams:
    entropy: int
    rank: int

    @lru_cache(maxsize=None)
    def generator(self, name: str) -> torch.Generator:
        words = [self.entropy, self.rank, *name.encode()]
        return torch.Generator().manual_seed(int(np.random.SeedSequence(words).generate_state(1)[0]))
