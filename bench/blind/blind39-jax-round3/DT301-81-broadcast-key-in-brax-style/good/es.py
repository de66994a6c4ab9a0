"""Evolution strategies: every device evaluates its own perturbations, updates are averaged."""
import dataclasses
import functools

import jax
import jax.numpy as jnp


@dataclasses.dataclass(frozen=True)
class ESConfig:
    pairs_per_device: int = 32
    sigma: float = 0.05
    lr: float = 0.02
    generations: int = 200
    dim: int = 100


def bcast_local_devices(value, n):
    return jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (n, *jnp.shape(leaf))), value)


def rastrigin(x):
    return jnp.sum(x**2 - 10 * jnp.cos(2 * jnp.pi * x) + 10, axis=-1)


def make_generation(cfg):
    @functools.partial(jax.pmap, axis_name="workers", donate_argnums=(0, 1))
    def generation(mean, key):
        key, noise_key = jax.random.split(key)
        eps = jax.random.normal(noise_key, (cfg.pairs_per_device, cfg.dim))
        plus, minus = rastrigin(mean + cfg.sigma * eps), rastrigin(mean - cfg.sigma * eps)
        grad = jnp.mean((plus - minus)[:, None] * eps, axis=0) / (2 * cfg.sigma)
        grad = jax.lax.pmean(grad, "workers")
        best = jax.lax.pmin(jnp.minimum(plus, minus).min(), "workers")
        return mean - cfg.lr * grad / (jnp.linalg.norm(grad) + 1e-8), key, best

    return generation


def main(cfg):
    n = jax.local_device_count()
    start_key, act_key = jax.random.split(jax.random.key(0))
    mean = bcast_local_devices(jax.random.uniform(start_key, (cfg.dim,), minval=-2, maxval=2), n)
    keys = jax.random.split(act_key, n)
    generation = make_generation(cfg)
    for g in range(cfg.generations):
        mean, keys, best = generation(mean, keys)
        if g % 50 == 0:
            print(g, float(best[0]))


if __name__ == "__main__":
    main(ESConfig())
