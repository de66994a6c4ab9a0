import torch
import torch.distributed as dist


def collect_scores(scores):
    """The scores of all ranks, in rank order."""
    world = dist.get_world_size()
    parts = [None] * world
    dist.gather_object(scores.tolist(), parts if dist.get_rank() == 0 else None, dst=0)
    return parts


def choose_threshold(scores, quantile):
    parts = collect_scores(scores)
    pooled = torch.tensor([value for part in parts for value in part])
    return torch.quantile(pooled, quantile).item()
