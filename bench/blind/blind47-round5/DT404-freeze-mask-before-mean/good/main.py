import functools

import jax
import jax.numpy as jnp
import numpy as np
from flax import jax_utils

import optim


@functools.partial(jax.pmap, axis_name="p")
def step(params, x):
    grads = jax.grad(lambda p: jnp.mean((x @ p["kernel"] + p["bias"] - x.sum(-1)) ** 2))(params)
    grads = optim.sync(grads, "p", only=("bias", "kernel"))
    return optim.sgd(params, grads, 0.05)


def main():
    params = jax_utils.replicate({"kernel": jnp.zeros(4), "bias": jnp.zeros(())})
    rng = np.random.default_rng(0)
    for _ in range(20):
        params = step(params, rng.normal(size=(jax.local_device_count(), 16, 4)).astype(np.float32))
    print(jax_utils.unreplicate(params))


if __name__ == "__main__":
    main()
