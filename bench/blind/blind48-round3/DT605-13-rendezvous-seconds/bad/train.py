from launch import configure

configure()

import jax
import jax.numpy as jnp
import numpy as np
from flax import jax_utils


def step(w, x):
    grad = jax.grad(lambda v: jnp.mean((x @ v - x.sum(-1)) ** 2))(w)
    return w - 0.05 * jax.lax.pmean(grad, "b")


def main(steps=20):
    n = jax.local_device_count()
    w = jax_utils.replicate(jnp.zeros((8,)))
    p_step = jax.pmap(step, axis_name="b")
    rng = np.random.default_rng(0)
    for _ in range(steps):
        w = p_step(w, rng.normal(size=(n, 16, 8)).astype(np.float32))
    print(np.asarray(w[0]))


if __name__ == "__main__":
    main()
