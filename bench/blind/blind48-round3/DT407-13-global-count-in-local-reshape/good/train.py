import jax
import jax.numpy as jnp
import numpy as np
from flax import jax_utils

from devices import to_devices


def step(w, batch):
    grad = jax.grad(lambda v: jnp.mean((batch["x"] @ v - batch["y"]) ** 2))(w)
    return w - 0.05 * jax.lax.pmean(grad, "d")


def main(steps=100, global_batch=512):
    jax.distributed.initialize()
    local_batch = global_batch // jax.process_count()
    rng = np.random.default_rng([0, jax.process_index()])
    w = jax_utils.replicate(jnp.zeros((5,)))
    p_step = jax.pmap(step, axis_name="d")
    for _ in range(steps):
        x = rng.normal(size=(local_batch, 5)).astype(np.float32)
        w = p_step(w, to_devices({"x": x, "y": x.sum(-1)}))
    if jax.process_index() == 0:
        print(np.asarray(w[0]))


if __name__ == "__main__":
    main()
