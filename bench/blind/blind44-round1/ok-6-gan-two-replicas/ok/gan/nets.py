from torch import nn


def generator(z, d):
    return nn.Sequential(nn.Linear(z, 32), nn.ReLU(), nn.Linear(32, d))


def critic(d):
    return nn.Sequential(nn.Linear(d, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
