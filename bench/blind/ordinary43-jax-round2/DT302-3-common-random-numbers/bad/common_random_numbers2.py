"""Paired comparison of two policies on the same random episodes, and finite differences with common noise."""
import jax
import jax.numpy as jnp


def rollout(key, gain, steps=50):
    start_key = key
    x0 = jax.random.normal(start_key, (2,))

    def body(x, k):
        x = 0.9 * x - gain * x + 0.1 * jax.random.normal(k, x.shape)
        return x, jnp.sum(x**2)

    _, costs = jax.lax.scan(body, x0, jax.random.split(key, steps))
    return costs.sum()


def compare(key, gain_a, gain_b, episodes=32):
    keys = jax.random.split(key, episodes)
    a = jax.vmap(rollout, in_axes=(0, None))(keys, gain_a)
    b = jax.vmap(rollout, in_axes=(0, None))(keys, gain_b)
    diff = a - b
    return diff.mean(), diff.std() / jnp.sqrt(episodes)


def slope(key, gain, eps=1e-2):
    hi = rollout(key, gain + eps)
    lo = rollout(key, gain - eps)
    return (hi - lo) / (2 * eps)


def main():
    key = jax.random.key(0)
    key, cmp_key = jax.random.split(key)
    mean, err = compare(cmp_key, 0.1, 0.5)
    print(f"{mean:.3f} +- {err:.3f}")
    gain = 0.2
    for i in range(20):
        key, sub = jax.random.split(key)
        gain = gain - 1e-3 * slope(sub, gain)
    print(float(gain))


if __name__ == "__main__":
    main()
