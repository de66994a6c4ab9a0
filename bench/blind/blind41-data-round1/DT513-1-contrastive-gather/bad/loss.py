import torch
import torch.distributed as dist
import torch.nn.functional as F


def gather_rows(rows):
    parts = [torch.empty_like(rows) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, rows.contiguous())
    return torch.cat(parts)


def info_nce(left, right, temperature):
    left, right = F.normalize(left, dim=-1), F.normalize(right, dim=-1)
    all_left, all_right = gather_rows(left), gather_rows(right)
    logits = all_left @ all_right.T / temperature
    target = torch.arange(len(logits), device=logits.device)
    return 0.5 * (F.cross_entropy(logits, target) + F.cross_entropy(logits.T, target))
