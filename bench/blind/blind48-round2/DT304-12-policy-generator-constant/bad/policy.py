import torch
import torch.nn as nn


class Policy(nn.Module):
    def __init__(self, obs=6, actions=3):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(obs, 32), nn.Tanh(), nn.Linear(32, actions))

    def forward(self, obs):
        return torch.log_softmax(self.net(obs), dim=-1)


class Rollout:
    """Plays a fixed number of turns with sampled actions."""

    def __init__(self, policy, seed, turns=64):
        self.policy, self.turns = policy, turns
        self.gen = torch.Generator().manual_seed(seed)

    @torch.no_grad()
    def play(self):
        obs = torch.randn(1, 6, generator=self.gen)
        seen, taken, rewards = [], [], []
        for _ in range(self.turns):
            probs = self.policy(obs).exp()
            action = torch.multinomial(probs, 1, generator=self.gen)
            seen.append(obs)
            taken.append(action)
            rewards.append((action == obs[:, :3].argmax(dim=-1, keepdim=True)).float())
            obs = 0.9 * obs + 0.1 * torch.randn(1, 6, generator=self.gen)
        return torch.cat(seen), torch.cat(taken), torch.cat(rewards)
