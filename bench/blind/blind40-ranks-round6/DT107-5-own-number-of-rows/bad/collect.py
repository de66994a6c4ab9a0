import torch
import torch.distributed as dist
import torch.nn.functional as F


def confident(logits, least):
    return logits.softmax(1).amax(1) > least


def gather_rows(rows):
    """Rows of all ranks in one tensor."""
    parts = [torch.empty_like(rows) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, rows)
    return torch.cat(parts)
