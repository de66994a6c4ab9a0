"""singledispatch and a registry of samplers; each call takes a key of its own."""
import dataclasses
import functools
from typing import Callable

import jax
import jax.numpy as jnp

SAMPLERS: dict[str, Callable] = {}


def sampler(fn):
    SAMPLERS[fn.__name__] = fn
    return fn


@sampler
def gaussian(key, shape):
    return jax.random.normal(key, shape)


@sampler
def laplace(key, shape):
    return jax.random.laplace(key, shape)


@sampler
def mixture(key, shape):
    pick_key, a_key, b_key = jax.random.split(key, 3)
    pick = jax.random.bernoulli(pick_key, 0.5, shape)
    return jnp.where(pick, gaussian(a_key, shape), laplace(b_key, shape))


@dataclasses.dataclass(frozen=True)
class Normal:
    scale: float


@dataclasses.dataclass(frozen=True)
class Bounded:
    low: float
    high: float


@functools.singledispatch
def draw(dist, key, n):
    raise TypeError(type(dist))


@draw.register
def _(dist: Normal, key, n):
    return dist.scale * jax.random.normal(key, (n,))


@draw.register
def _(dist: Bounded, key, n):
    return jax.random.uniform(key, (n,), minval=dist.low, maxval=dist.high)


def main():
    root = jax.random.key(0)
    table = {}
    for i, (name, fn) in enumerate(sorted(SAMPLERS.items())):
        table[name] = fn(jax.random.fold_in(root, i), (1000,)).std()
    dist_key = jax.random.fold_in(root, len(SAMPLERS))
    dists = [Normal(2.0), Bounded(-1.0, 1.0), Normal(0.5)]
    draws = [draw(d, k, 100) for d, k in zip(dists, jax.random.split(dist_key, len(dists)))]
    print(table, [float(d.mean()) for d in draws])


main()
