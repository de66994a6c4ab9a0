import torch
from torch import nn


class ActorCritic(nn.Module):
    def __init__(self, obs, actions, width=128):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh())
        self.logits = nn.Linear(width, actions)
        self.value = nn.Linear(width, 1)

    def forward(self, obs):
        hidden = self.body(obs)
        return torch.distributions.Categorical(logits=self.logits(hidden)), self.value(hidden).squeeze(-1)
