import argparse

import jax
import jax.numpy as jnp
import numpy as np
from flax import jax_utils

from augment import augment


def step(w, x, y, key):
    def loss_fn(w):
        return jnp.mean((augment(key, x) @ w - y) ** 2)

    return w - 0.05 * jax.lax.pmean(jax.grad(loss_fn)(w), "d")


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--batch_size", type=int, default=64)
    ap.add_argument("--steps", type=int, default=10)
    args = ap.parse_args()
    n = jax.local_device_count()
    p_step = jax.pmap(step, axis_name="d")
    key = jax.random.PRNGKey(0)
    w = jax_utils.replicate(jnp.zeros((6,)))
    rng = np.random.default_rng(0)
    for _ in range(args.steps):
        key, sub = jax.random.split(key)
        x = rng.normal(size=(n, args.batch_size // n, 6)).astype(np.float32)
        keys = jax.random.split(sub, args.batch_size)
        w = p_step(w, x, x.sum(-1), keys)
    return w


if __name__ == "__main__":
    main()
