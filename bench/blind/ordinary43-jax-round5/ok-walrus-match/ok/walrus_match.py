"""match statements over configs, walrus loops, conditional expressions that choose which half of a split is used."""
import dataclasses
import itertools

import jax
import jax.numpy as jnp


@dataclasses.dataclass(frozen=True)
class Constant:
    value: float


@dataclasses.dataclass(frozen=True)
class Gaussian:
    scale: float


@dataclasses.dataclass(frozen=True)
class Mixture:
    parts: tuple


def noise(spec, key, shape):
    match spec:
        case Constant(value=v):
            return jnp.full(shape, v)
        case Gaussian(scale=s) if s > 0:
            return s * jax.random.normal(key, shape)
        case Gaussian():
            return jnp.zeros(shape)
        case Mixture(parts=[one]):
            return noise(one, key, shape)
        case Mixture(parts=[first, *rest]):
            pick, left, right = jax.random.split(key, 3)
            mask = jax.random.bernoulli(pick, 1 / (1 + len(rest)), shape)
            return jnp.where(mask, noise(first, left, shape), noise(Mixture(tuple(rest)), right, shape))
    raise TypeError(spec)


def first_large(key, bound):
    counter = itertools.count()
    while (x := jax.random.normal(jax.random.fold_in(key, next(counter)))) < bound:
        pass
    return x


def either(key, flag):
    a, b = jax.random.split(key)
    return jax.random.uniform(a if flag else b)


def draw_or_default(key, shape=None):
    return jax.random.normal(key, shape) if shape is not None else jax.random.normal(key)


def main():
    root = jax.random.key(0)
    specs = [Constant(1.0), Gaussian(2.0), Mixture((Gaussian(1.0), Constant(0.0), Gaussian(5.0)))]
    drawn = [noise(s, k, (100,)).std() for s, k in zip(specs, jax.random.split(jax.random.fold_in(root, 0), 3))]
    print(drawn, first_large(jax.random.fold_in(root, 1), 1.0))
    print(either(jax.random.fold_in(root, 2), True), draw_or_default(jax.random.fold_in(root, 3)))


main()
