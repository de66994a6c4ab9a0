import torch
from torch import nn


def first(dim):
    return nn.Sequential(nn.Linear(dim, dim), nn.ReLU())


def middle(dim):
    return nn.Sequential(nn.Linear(dim, dim), nn.Tanh())


def last(dim):
    return nn.Linear(dim, 1)


def stage(rank, world, dim):
    make = {0: first, world - 1: last}.get(rank, middle)
    torch.manual_seed(rank)
    return make(dim).eval()
