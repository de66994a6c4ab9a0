import torch
import torch.distributed as dist
import torch.nn.functional as F


class HardExampleMiner:
    """Collects the examples whose loss is above a threshold and shares them among the ranks."""

    def __init__(self, threshold, world_size):
        self.threshold = threshold
        self.world_size = world_size
        self._kept = []

    @torch.no_grad()
    def observe(self, logits, labels, indices):
        losses = F.cross_entropy(logits, labels, reduction="none")
        self._kept.append(indices[losses > self.threshold])

    def exchange(self):
        mine = torch.cat(self._kept)
        self._kept.clear()
        gathered = [torch.zeros_like(mine) for _ in range(self.world_size)]
        dist.all_gather(gathered, mine)
        return torch.cat(gathered).unique()
