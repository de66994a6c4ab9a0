import torch
import torch.distributed as dist
import torch.nn.functional as F


def concat_all(x):
    parts = [torch.empty_like(x) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, x.contiguous())
    return torch.cat(parts)


def supervised_contrastive(z, labels, temperature=0.1):
    """Khosla et al., over the batch of all ranks; each rank is anchor for the whole matrix."""
    z = F.normalize(z, dim=1)
    every, classes = concat_all(z), concat_all(labels)
    logits = every @ every.t() / temperature
    own = torch.eye(len(every), dtype=torch.bool, device=z.device)
    logits = logits.masked_fill(own, float("-inf"))
    same = (classes[:, None] == classes[None, :]) & ~own
    logp = logits.log_softmax(1).masked_fill(~same, 0.0)
    return -(logp.sum(1) / same.sum(1).clamp(min=1)).mean()
