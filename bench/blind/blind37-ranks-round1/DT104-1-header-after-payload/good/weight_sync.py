"""Actors refresh their policy from the learner (rank 0) between rollouts."""
import os
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import nn


@dataclass
class Config:
    rounds: int = 3
    horizon: int = 32
    obs: int = 6
    actions: int = 3
    lr: float = 1e-2


def policy(cfg):
    return nn.Sequential(nn.Linear(cfg.obs, 32), nn.Tanh(), nn.Linear(32, cfg.actions))


def flatten(net):
    return torch.cat([p.detach().reshape(-1) for p in net.parameters()])


@torch.no_grad()
def unflatten(net, flat):
    offset = 0
    for p in net.parameters():
        p.copy_(flat[offset : offset + p.numel()].view_as(p))
        offset += p.numel()


class Learner:
    def __init__(self, cfg, net):
        self.cfg, self.net, self.version = cfg, net, 0
        self.opt = torch.optim.Adam(net.parameters(), lr=cfg.lr)

    def publish(self):
        header = torch.tensor([self.version, sum(p.numel() for p in self.net.parameters())])
        dist.broadcast(header, src=0)
        dist.broadcast(flatten(self.net), src=0)

    def learn(self, batches):
        obs = torch.cat([b["obs"] for b in batches])
        act = torch.cat([b["act"] for b in batches])
        ret = torch.cat([b["ret"] for b in batches])
        logp = torch.log_softmax(self.net(obs), -1).gather(1, act[:, None]).squeeze(1)
        loss = -(logp * (ret - ret.mean())).mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.version += 1


class Actor:
    def __init__(self, cfg, net, rank):
        self.cfg, self.net, self.version = cfg, net, -1
        self.gen = torch.Generator().manual_seed(1000 + rank)

    def refresh(self):
        header = torch.zeros(2, dtype=torch.long)
        flat = torch.empty(sum(p.numel() for p in self.net.parameters()))
        dist.broadcast(header, src=0)
        dist.broadcast(flat, src=0)
        self.version = int(header[0])
        unflatten(self.net, flat)

    @torch.no_grad()
    def rollout(self):
        obs = torch.randn(self.cfg.horizon, self.cfg.obs, generator=self.gen)
        act = torch.multinomial(torch.softmax(self.net(obs), -1), 1, generator=self.gen).squeeze(1)
        return {"obs": obs, "act": act, "ret": -(obs[:, 0] - act).abs()}


def main():
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    cfg = Config()
    torch.manual_seed(0)
    net = policy(cfg)
    learner = Learner(cfg, net) if rank == 0 else None
    actor = Actor(cfg, net, rank) if rank > 0 else None
    for _ in range(cfg.rounds):
        if learner is not None:
            learner.publish()
            batches = [None] * world
            dist.gather_object(None, batches, dst=0)
            learner.learn([b for b in batches if b is not None])
        else:
            actor.refresh()
            dist.gather_object(actor.rollout(), None, dst=0)
    if rank == 0:
        torch.save(net.state_dict(), os.environ.get("POLICY_OUT", "policy.pt"))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
