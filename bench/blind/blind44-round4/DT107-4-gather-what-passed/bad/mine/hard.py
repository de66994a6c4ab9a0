import torch
import torch.distributed as dist


def hard_rows(features, losses, threshold):
    return features[losses > threshold]


def from_all(rows):
    parts = [torch.empty_like(rows) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, rows)
    return torch.cat(parts)
