import jax
import jax.numpy as jnp
import numpy as np
from flax import jax_utils


def denoise_step(w, x, key):
    dirty = x + 0.1 * jax.random.normal(key, x.shape)
    grad = jax.lax.pmean(jax.grad(lambda v: jnp.mean((dirty @ v - x) ** 2))(w), "n")
    return w - 0.1 * grad


def main(steps=100, dim=6):
    jax.distributed.initialize()
    w = jax_utils.replicate(jnp.eye(dim))
    p_step = jax.pmap(denoise_step, axis_name="n")
    base = jax.random.fold_in(jax.random.key(1), jax.process_index())
    rng = np.random.default_rng([2, jax.process_index()])
    devices = jax.local_device_count()
    for i in range(steps):
        x = rng.normal(size=(devices, 32, dim)).astype(np.float32)
        keys = jax.random.split(jax.random.fold_in(base, i), jax.process_count())
        w = p_step(w, x, keys)
    if jax.process_index() == 0:
        print(np.linalg.norm(jax_utils.unreplicate(w)))


if __name__ == "__main__":
    main()
