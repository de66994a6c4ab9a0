import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

ACTORS = int(os.environ.get("ACTORS", 2))


def build():
    return nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 2))


class Roles:
    def __init__(self):
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        self.learner_ranks = list(range(ACTORS, self.world))
        self.learners = dist.new_group(self.learner_ranks)

    @property
    def learns(self):
        return self.rank in self.learner_ranks


def act(net, gen, horizon=64):
    obs = torch.randn(horizon, 4, generator=gen)
    with torch.no_grad():
        choice = net(obs).argmax(1)
    return obs, choice, -(obs[:, 0] - choice.float()).abs()


def main():
    dist.init_process_group("gloo")
    roles = Roles()
    torch.manual_seed(0)
    net = build()
    if roles.learns:
        trained = DistributedDataParallel(net)
        opt = torch.optim.Adam(trained.parameters(), lr=1e-3)
    gen = torch.Generator().manual_seed(10 + roles.rank)
    for _ in range(5):
        mine = None if roles.learns else act(net, gen)
        gathered = [None] * roles.world
        dist.all_gather_object(gathered, mine)
        if roles.learns:
            obs, choice, reward = (torch.cat(parts) for parts in zip(*[g for g in gathered if g is not None]))
            place = roles.learner_ranks.index(roles.rank)
            take = slice(place, None, len(roles.learner_ranks))
            logp = torch.log_softmax(trained(obs[take]), 1).gather(1, choice[take, None]).squeeze(1)
            loss = -(logp * reward[take]).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
        for p in net.parameters():
            dist.broadcast(p.data, src=ACTORS)
    if roles.rank == ACTORS:
        torch.save(net.state_dict(), "policy.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
