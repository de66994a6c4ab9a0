import jax.numpy as jnp

from sampler import Sampler


def score(x, t):
    return -x / (1.0 + t)


if __name__ == "__main__":
    print(Sampler(0).sample(score, (4, 2)).std())
