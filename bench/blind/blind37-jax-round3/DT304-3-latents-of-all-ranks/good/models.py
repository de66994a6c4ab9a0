import torch
from torch import nn


class Generator(nn.Module):
    def __init__(self, latent=64, out=784):
        super().__init__()
        self.latent = latent
        self.net = nn.Sequential(nn.Linear(latent, 256), nn.ReLU(), nn.Linear(256, out), nn.Tanh())

    def forward(self, z):
        return self.net(z)


class Critic(nn.Module):
    def __init__(self, features=784):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(features, 256), nn.LeakyReLU(0.2), nn.Linear(256, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)
