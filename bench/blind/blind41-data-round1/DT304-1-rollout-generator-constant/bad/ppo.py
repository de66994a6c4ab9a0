import argparse

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


class Policy(nn.Module):
    def __init__(self, obs, actions):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs, 64), nn.Tanh(), nn.Linear(64, actions))

    def forward(self, obs):
        return self.body(obs)


class Rollouts:
    """A batch of point-mass environments; the start states and the actions are random."""

    def __init__(self, n, horizon, seed):
        self.n, self.horizon = n, horizon
        self.generator = torch.Generator().manual_seed(seed)

    @torch.no_grad()
    def collect(self, policy):
        state = torch.rand(self.n, 4, generator=self.generator)
        observed, taken, rewards = [], [], []
        for _ in range(self.horizon):
            probs = policy(state).softmax(-1)
            action = torch.multinomial(probs, 1, generator=self.generator)[:, 0]
            observed.append(state)
            taken.append(action)
            state = state + 0.1 * F.one_hot(action, 4)
            rewards.append(-(state - 0.5).pow(2).sum(-1))
        returns = torch.stack(rewards).flip(0).cumsum(0).flip(0)
        return torch.cat(observed), torch.cat(taken), returns.flatten()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--updates", type=int, default=100)
    args = parser.parse_args()
    dist.init_process_group("gloo")
    torch.manual_seed(args.seed)
    policy = DDP(Policy(4, 4))
    optimizer = torch.optim.Adam(policy.parameters(), lr=3e-4)
    rollouts = Rollouts(n=64, horizon=20, seed=args.seed)
    for update in range(args.updates):
        obs, actions, returns = rollouts.collect(policy.module)
        advantage = returns - returns.mean()
        logp = F.log_softmax(policy(obs), -1).gather(1, actions[:, None])[:, 0]
        loss = -(logp * advantage).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
