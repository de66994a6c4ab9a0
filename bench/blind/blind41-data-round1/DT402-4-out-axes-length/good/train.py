from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


@partial(jax.pmap, axis_name="w", in_axes=(None, 0, 0), out_axes=(None, 0))
def worker(theta, x, key):
    noise = jax.random.normal(key, theta.shape)
    reward = -jnp.mean((x @ (theta + 0.1 * noise)) ** 2)
    grad = jax.lax.pmean(reward * noise, "w")
    return theta + 0.05 * grad, reward


def main(steps=50):
    n = jax.local_device_count()
    theta = jnp.ones(6)
    key = jax.random.PRNGKey(0)
    rng = np.random.default_rng(0)
    for _ in range(steps):
        key, sub = jax.random.split(key)
        x = rng.normal(size=(n, 32, 6)).astype(np.float32)
        theta, reward = worker(theta, x, jax.random.split(sub, n))
    print(float(reward.mean()))


if __name__ == "__main__":
    main()
