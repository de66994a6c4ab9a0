from dataclasses import dataclass

import torch
import torch.distributed as dist


@dataclass
class Scaler:
    scale: float = 1024.0
    good: int = 0

    def settle(self, overflow: torch.Tensor) -> bool:
        dist.reduce(overflow, dst=0)
        if overflow.item() > 0:
            self.scale, self.good = self.scale / 2, 0
            return False
        self.good += 1
        if self.good % 100 == 0:
            self.scale *= 2
        return True
