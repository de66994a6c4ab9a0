from dataclasses import dataclass, field

import torch
import torch.distributed as dist
import torch.nn.functional as F


@dataclass
class Collected:
    scores: list[torch.Tensor] = field(default_factory=list)

    def add(self, logits: torch.Tensor, floor: float = 0.5) -> None:
        values = logits.sigmoid().flatten()
        self.scores.append(values[values > floor])

    def everywhere(self) -> torch.Tensor:
        mine = torch.cat(self.scores)
        count = torch.tensor(len(mine))
        counts = [torch.zeros_like(count) for _ in range(dist.get_world_size())]
        dist.all_gather(counts, count)
        longest = int(max(counts))
        parts = [torch.empty(longest) for _ in counts]
        dist.all_gather(parts, F.pad(mine, (0, longest - len(mine))))
        return torch.cat([part[: int(n)] for part, n in zip(parts, counts)])
