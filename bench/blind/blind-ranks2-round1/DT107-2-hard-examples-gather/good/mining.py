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
        counts = [torch.zeros(1, dtype=torch.long, device=mine.device) for _ in range(self.world_size)]
        dist.all_gather(counts, torch.tensor([mine.numel()], device=mine.device))
        longest = int(torch.stack(counts).max())
        padded = F.pad(mine, (0, longest - mine.numel()), value=-1)
        gathered = [torch.zeros_like(padded) for _ in range(self.world_size)]
        dist.all_gather(gathered, padded)
        merged = torch.cat(gathered).unique()
        return merged[merged >= 0]
