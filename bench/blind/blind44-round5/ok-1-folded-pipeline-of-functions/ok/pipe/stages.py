import functools

import torch
import torch.distributed as dist


def centred(x):
    mean = x.mean(0)
    dist.all_reduce(mean)
    return x - mean / dist.get_world_size()


def scaled(x, eps=1e-6):
    var = x.square().mean(0)
    dist.all_reduce(var)
    return x / (var / dist.get_world_size() + eps).sqrt()


def clipped(x, most):
    return x.clamp(-most, most)


def compose(*stages):
    return functools.reduce(lambda f, g: lambda x: g(f(x)), stages)
