import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F


def concat_all(tensor):
    parts = [torch.empty_like(tensor) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, tensor.contiguous())
    parts[dist.get_rank()] = tensor
    return torch.cat(parts)


class SupConLoss(nn.Module):
    def __init__(self, temperature=0.1):
        super().__init__()
        self.temperature = temperature

    def forward(self, z, labels):
        z = F.normalize(z, dim=-1)
        everyone = concat_all(z)
        with torch.no_grad():
            other_labels = [torch.empty_like(labels) for _ in range(dist.get_world_size())]
            dist.all_gather(other_labels, labels)
            targets = torch.cat(other_labels)
        logits = z @ everyone.T / self.temperature
        start = dist.get_rank() * z.shape[0]
        me = torch.arange(z.shape[0], device=z.device) + start
        alike = (labels[:, None] == targets[None]).float()
        alike[torch.arange(z.shape[0]), me] = 0
        logits[torch.arange(z.shape[0]), me] = float("-inf")
        logp = F.log_softmax(logits, dim=-1).masked_fill(alike == 0, 0.0)
        return -((logp * alike).sum(1) / alike.sum(1).clamp(min=1)).mean()
