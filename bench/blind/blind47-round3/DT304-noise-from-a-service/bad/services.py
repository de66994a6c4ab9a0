from dataclasses import dataclass, field

import torch


@dataclass
class NoiseService:
    seed: int
    _generator: torch.Generator = field(init=False)

    def __post_init__(self):
        self._generator = torch.Generator().manual_seed(self.seed)

    def like(self, x):
        return torch.randn(x.shape, generator=self._generator)

    def steps(self, count, top):
        return torch.randint(0, top, (count,), generator=self._generator)
