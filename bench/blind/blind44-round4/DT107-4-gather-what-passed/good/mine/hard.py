import torch
import torch.distributed as dist
import torch.nn.functional as F


def hard_rows(features, losses, threshold):
    return features[losses > threshold]


def from_all(rows):
    counts = [torch.zeros(1, dtype=torch.long, device=rows.device) for _ in range(dist.get_world_size())]
    dist.all_gather(counts, torch.tensor([len(rows)], device=rows.device))
    most = int(max(c.item() for c in counts))
    padded = F.pad(rows, (0, 0, 0, most - len(rows)))
    parts = [torch.empty_like(padded) for _ in counts]
    dist.all_gather(parts, padded)
    return torch.cat([part[: int(c)] for part, c in zip(parts, counts)])
