import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils


def per_row(params, x, y):
    return optax.l2_loss(x @ params["w"] + params["b"], y)


@functools.partial(jax.pmap, axis_name="d")
def evaluate(params, x, y):
    each = jax.lax.psum(per_row(params, x, y), "d")
    return jnp.mean(each) / jax.lax.psum(1, "d")


@functools.partial(jax.pmap, axis_name="d")
def total(params, x, y):
    return jax.lax.psum(jnp.sum(per_row(params, x, y)), "d") / (x.shape[0] * jax.lax.axis_size("d"))


def main():
    n = jax.local_device_count()
    params = jax_utils.replicate({"w": jnp.ones(5), "b": jnp.zeros(())})
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 64, 5)).astype(np.float32)
    y = x.sum(-1)
    print(float(evaluate(params, x, y)[0]), float(total(params, x, y)[0]))


if __name__ == "__main__":
    main()
