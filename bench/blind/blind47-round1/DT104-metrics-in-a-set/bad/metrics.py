from dataclasses import dataclass, field

import torch
import torch.distributed as dist


@dataclass
class MetricBook:
    totals: dict[str, torch.Tensor] = field(default_factory=dict)
    wanted: frozenset[str] = frozenset({"loss", "accuracy", "margin", "entropy"})

    def put(self, name: str, value: torch.Tensor) -> None:
        self.totals[name] = self.totals.get(name, torch.zeros(())) + value.detach()

    def averaged(self, steps: int) -> dict[str, float]:
        result = {}
        for name in self.wanted & self.totals.keys():
            total = self.totals[name].clone()
            dist.all_reduce(total)
            result[name] = (total / (steps * dist.get_world_size())).item()
        self.totals.clear()
        return result
