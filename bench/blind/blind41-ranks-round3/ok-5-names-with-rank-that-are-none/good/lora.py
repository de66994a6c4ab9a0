import os
from dataclasses import dataclass

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP


@dataclass
class LoraConfig:
    rank: int = 8
    alpha: float = 16.0


class Lora(nn.Module):
    def __init__(self, base, cfg):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.rank = cfg.rank
        if self.rank > 0:
            self.a = nn.Parameter(torch.randn(cfg.rank, base.in_features) * 0.02)
            self.b = nn.Parameter(torch.zeros(base.out_features, cfg.rank))
        self.scale = cfg.alpha / max(cfg.rank, 1)

    def forward(self, x):
        out = self.base(x)
        if self.rank == 0:
            return out
        return out + self.scale * (x @ self.a.t()) @ self.b.t()

    def effective_rank(self):
        ranking = torch.linalg.svdvals(self.b @ self.a)
        total = ranking.sum()
        dist.all_reduce(total)
        return total


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    cfg = LoraConfig(rank=int(os.environ.get("LORA_RANK", "8")))
    lora = Lora(nn.Linear(32, 32), cfg).cuda()
    model = DDP(lora, device_ids=[local_rank])
    opt = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-3)
    gen = torch.Generator(device="cuda").manual_seed(dist.get_rank())
    for step in range(100):
        x = torch.randn(16, 32, generator=gen, device="cuda")
        opt.zero_grad()
        (model(x) - x).pow(2).mean().backward()
        opt.step()
    if lora.rank > 0:
        total = lora.effective_rank()
        if dist.get_rank() == 0:
            print(total.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
