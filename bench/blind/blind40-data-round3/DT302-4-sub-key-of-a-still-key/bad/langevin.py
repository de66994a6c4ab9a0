"""Stochastic gradient Langevin dynamics on all local devices."""
import functools

import jax
import jax.numpy as jnp
import numpy as np


def energy(params, x, y):
    pred = jnp.tanh(x @ params["w"]) @ params["v"]
    return 0.5 * jnp.mean((pred - y) ** 2) + 1e-4 * sum(jnp.sum(p**2) for p in jax.tree.leaves(params))


def noise_like(key, tree):
    leaves, form = jax.tree.flatten(tree)
    keys = jax.random.split(key, len(leaves))
    return jax.tree.unflatten(form, [jax.random.normal(k, leaf.shape) for k, leaf in zip(keys, leaves)])


@functools.partial(jax.pmap, axis_name="d", in_axes=(None, 0, 0, None), out_axes=None)
def step(params, x, y, key):
    grads = jax.lax.pmean(jax.grad(energy)(params, x, y), "d")
    noise = noise_like(key, params)
    return jax.tree.map(lambda p, g, n: p - 1e-2 * g + 1e-3 * n, params, grads, noise)


def main(steps=400, batch=128):
    n = jax.local_device_count()
    k1, k2, key = jax.random.split(jax.random.key(0), 3)
    params = {"w": jax.random.normal(k1, (6, 24)) / 2, "v": jax.random.normal(k2, (24,)) / 5}
    rng = np.random.default_rng(0)
    samples = []
    for i in range(steps):
        x = rng.normal(size=(n, batch // n, 6)).astype(np.float32)
        _, sub = jax.random.split(key)
        params = step(params, x, np.sin(x[..., 0]), sub)
        if i >= steps // 2 and i % 20 == 0:
            samples.append(jax.device_get(params))
    print(len(samples), np.mean([s["v"] for s in samples], axis=0))


if __name__ == "__main__":
    main()
