import torch
import torch.distributed as dist
import torch.nn.functional as F


def token_loss(logits, labels, pad=0):
    total = F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=pad, reduction="sum")
    count = (labels != pad).sum().float()
    dist.all_reduce(count)
    return total * dist.get_world_size() / count.clamp(min=1)
