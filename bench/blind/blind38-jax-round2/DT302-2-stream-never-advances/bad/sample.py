"""Langevin chains on a mixture of Gaussians, a bundle of chains on each device."""
import argparse
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from keys import KeyStream

MEANS = jnp.array([[-2.0, 0.0], [2.0, 0.0], [0.0, 3.0]])


def log_density(x):
    return jax.nn.logsumexp(-0.5 * jnp.sum((x - MEANS) ** 2, axis=-1))


score = jax.vmap(jax.grad(log_density))


@partial(jax.pmap, in_axes=(0, 0, None))
def bundle(key, x, size):
    drift = size * score(x)
    return x + drift + jnp.sqrt(2 * size) * jax.random.normal(key, x.shape)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--chains", type=int, default=1024)
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--size", type=float, default=0.02)
    args = parser.parse_args()
    n = jax.local_device_count()
    keys = KeyStream(0)
    x = jax.random.normal(keys.next_key(), (n, args.chains // n, 2))
    kept = []
    for step in range(args.steps):
        x = bundle(keys.for_devices(n), x, args.size)
        if step >= args.steps // 2 and step % 10 == 0:
            kept.append(np.asarray(x).reshape(-1, 2))
    samples = np.concatenate(kept)
    print("mean", samples.mean(axis=0).round(2), "spread", samples.std(axis=0).round(2))


if __name__ == "__main__":
    main()
