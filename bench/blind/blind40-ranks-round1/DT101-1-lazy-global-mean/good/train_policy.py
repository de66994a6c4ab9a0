import argparse
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP

from stats import RunningReward


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--iterations", type=int, default=30)
    p.add_argument("--log-interval", type=int, default=10)
    p.add_argument("--horizon", type=int, default=64)
    return p.parse_args()


class Bandit:
    def __init__(self, arms, seed):
        self.gen = torch.Generator().manual_seed(seed)
        self.payoff = torch.linspace(-1, 1, arms)

    def pull(self, actions):
        noise = torch.randn(actions.shape, generator=self.gen)
        return self.payoff[actions] + 0.1 * noise


class PolicyTrainer:
    def __init__(self, args, rank, device):
        self.args, self.rank, self.device = args, rank, device
        torch.manual_seed(7)
        self.policy = DDP(nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 8)).to(device))
        self.optim = torch.optim.Adam(self.policy.parameters(), lr=3e-3)
        self.env = Bandit(8, seed=100 + rank)
        self.sampler = torch.Generator(device=device).manual_seed(1000 + rank)
        self.reward = RunningReward(device)

    def rollout(self):
        obs = torch.randn(self.args.horizon, 4, generator=self.sampler, device=self.device)
        logp = torch.log_softmax(self.policy(obs), dim=-1)
        actions = torch.multinomial(logp.exp(), 1, generator=self.sampler).squeeze(1)
        rewards = self.env.pull(actions.cpu()).to(self.device)
        return logp.gather(1, actions[:, None]).squeeze(1), rewards

    def iterate(self):
        logp, rewards = self.rollout()
        loss = -(logp * (rewards - rewards.mean())).mean()
        self.optim.zero_grad(set_to_none=True)
        loss.backward()
        self.optim.step()
        self.reward.push(rewards)

    def run(self):
        for it in range(1, self.args.iterations + 1):
            self.iterate()
            if it % self.args.log_interval == 0:
                mean = self.reward.mean
                if self.rank == 0:
                    print(f"iter {it:4d} reward {mean:.3f}")
                self.reward.reset()


def main():
    args = parse()
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", torch.cuda.current_device()) if cuda else torch.device("cpu")
    try:
        PolicyTrainer(args, dist.get_rank(), device).run()
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
