import torch
import torch.distributed as dist


def collect_scores(scores):
    """The scores of all ranks, in rank order."""
    world = dist.get_world_size()
    parts = [None] * world
    dist.all_gather_object(parts, scores.tolist())
    return parts


def choose_threshold(scores, quantile):
    parts = collect_scores(scores)
    pooled = torch.tensor([value for part in parts for value in part])
    return torch.quantile(pooled, quantile).item()
