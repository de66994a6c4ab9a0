import jax
import jax.numpy as jnp
from jax import lax


def energy(x):
    return jnp.sum(x**4 / 4 - x**2 / 2)


def step(carry, temperature):
    key, x = carry
    key, k_noise, k_jitter = jax.random.split(key, 3)
    eta = 0.01 * jnp.exp(0.1 * jax.random.normal(k_jitter))
    x = x - eta * jax.grad(energy)(x) + jnp.sqrt(2 * eta * temperature) * jax.random.normal(k_noise, x.shape)
    return (key, x), energy(x)


def anneal(key, steps=100):
    k_start, k_run = jax.random.split(key)
    x = jax.random.normal(k_start, (16,))
    (_, x), energies = lax.scan(step, (k_run, x), jnp.linspace(1.0, 0.01, steps))
    return x, energies


if __name__ == "__main__":
    keys = jax.random.split(jax.random.key(3), jax.local_device_count())
    x, energies = jax.pmap(anneal)(keys)
    print(x.shape, energies[:, -1])
