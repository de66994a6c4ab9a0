import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn


def collect(features: torch.Tensor) -> torch.Tensor:
    parts = [torch.empty_like(features) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, features.contiguous())
    return torch.cat(parts)


class ContrastiveLoss(nn.Module):
    def __init__(self):
        super().__init__()
        self.log_scale = nn.Parameter(torch.tensor(2.0))

    def forward(self, image, text):
        image, text = F.normalize(image, dim=-1), F.normalize(text, dim=-1)
        all_text = collect(text)
        logits = self.log_scale.exp() * image @ all_text.t()
        offset = dist.get_rank() * len(image)
        labels = torch.arange(len(image), device=image.device) + offset
        return F.cross_entropy(logits, labels)
