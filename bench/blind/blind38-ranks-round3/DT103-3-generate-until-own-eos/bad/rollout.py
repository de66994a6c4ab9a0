import os
from dataclasses import dataclass

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.fsdp import fully_shard

EOS = 0


@dataclass
class Config:
    vocab: int = 128
    dim: int = 96
    longest: int = 64
    batch: int = 8
    rounds: int = 20


class Policy(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.embed = nn.Embedding(cfg.vocab, cfg.dim)
        self.block = nn.Sequential(nn.Linear(cfg.dim, 4 * cfg.dim), nn.GELU(), nn.Linear(4 * cfg.dim, cfg.dim))
        self.head = nn.Linear(cfg.dim, cfg.vocab)

    def forward(self, ids):
        hidden = self.embed(ids)
        hidden = hidden.cumsum(1) / torch.arange(1, ids.shape[1] + 1, device=ids.device).view(1, -1, 1)
        return self.head(hidden + self.block(hidden))


class Sampler:
    def __init__(self, model, cfg, device):
        self.model, self.cfg, self.device = model, cfg, device
        self.gen = torch.Generator(device).manual_seed(300 + dist.get_rank())

    @torch.no_grad()
    def rollout(self):
        """Sample until every sequence has ended, or is as long as may be."""
        ids = torch.randint(1, self.cfg.vocab, (self.cfg.batch, 1), generator=self.gen, device=self.device)
        ended = torch.zeros(self.cfg.batch, dtype=torch.bool, device=self.device)
        while ids.shape[1] < self.cfg.longest:
            probs = self.model(ids)[:, -1].softmax(-1)
            new = torch.multinomial(probs, 1, generator=self.gen)
            ids = torch.cat([ids, new.masked_fill(ended.unsqueeze(1), EOS)], dim=1)
            ended |= new.squeeze(1) == EOS
            if ended.all():
                break
        return ids


def update(model, opt, ids):
    """One step of REINFORCE; what is rewarded is a short sequence."""
    longest = torch.tensor(ids.shape[1], device=ids.device)
    dist.all_reduce(longest, op=dist.ReduceOp.MAX)
    ids = F.pad(ids, (0, int(longest) - ids.shape[1]), value=EOS)
    reward = -(ids != EOS).float().sum(1)
    logp = F.cross_entropy(model(ids[:, :-1]).transpose(1, 2), ids[:, 1:], reduction="none").sum(1)
    opt.zero_grad()
    ((reward - reward.mean()) * logp).mean().backward()
    opt.step()


def main():
    cfg = Config()
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank)
    dist.init_process_group("nccl", device_id=device)
    torch.manual_seed(0)
    model = Policy(cfg).to(device)
    fully_shard(model.block)
    fully_shard(model)
    opt = torch.optim.Adam(model.parameters(), lr=3e-4)
    sampler = Sampler(model, cfg, device)
    for number in range(cfg.rounds):
        ids = sampler.rollout()
        update(model, opt, ids)
        if dist.get_rank() == 0:
            print(number, "done")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
