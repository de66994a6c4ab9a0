import os

import torch
import torch.distributed as dist
import torch.distributed.nn.functional as dist_fn
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP


class Towers(nn.Module):
    def __init__(self):
        super().__init__()
        self.image, self.text = nn.Linear(12, 6), nn.Linear(12, 6)
        self.scale = nn.Parameter(torch.tensor(2.0))

    def forward(self, a, b):
        return F.normalize(self.image(a), dim=-1), F.normalize(self.text(b), dim=-1), self.scale.exp()


def clip_loss(a, b, scale):
    every_a, every_b = (torch.cat(dist_fn.all_gather(t)) for t in (a, b))
    logits = scale * every_a @ every_b.T
    labels = torch.arange(len(logits), device=logits.device)
    return (F.cross_entropy(logits, labels) + F.cross_entropy(logits.T, labels)) / 2


def main(steps=20):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(Towers().to(device), device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    g = torch.Generator().manual_seed(500 + dist.get_rank())
    for _ in range(steps):
        x = torch.randn(16, 12, generator=g).to(device)
        optimizer.zero_grad(set_to_none=True)
        clip_loss(*model(x, x.flip(1))).backward()
        optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
