import jax
import jax.numpy as jnp
import numpy as np
from flax import jax_utils

from options import Options


def step(w, x):
    return w - 0.1 * jax.lax.pmean(jax.grad(lambda w: jnp.mean((x @ w) ** 2))(w), "i")


def main():
    jax.distributed.initialize()
    options = Options(devices=jax.local_device_count())
    rng = np.random.default_rng(jax.process_index())
    p_step = jax.pmap(step, axis_name="i")
    w = jax_utils.replicate(jnp.ones(4))
    for _ in range(options.epochs):
        x = rng.normal(size=(options.host_batch, 4)).astype(np.float32)
        w = p_step(w, x.reshape(options.devices, options.per_device, 4))
    if jax.process_index() == 0:
        print(w[0])


if __name__ == "__main__":
    main()
