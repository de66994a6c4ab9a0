import jax
import jax.numpy as jnp
import numpy as np
from flax import jax_utils

from keys import DeviceKeys


def loss_fn(w, x, key):
    keep = jax.random.bernoulli(key, 0.9, x.shape)
    return jnp.mean(((x * keep) @ w - x.sum(-1)) ** 2)


def step(w, x, key):
    grads = jax.lax.pmean(jax.grad(loss_fn)(w, x, key), "d")
    return w - 0.05 * grads


def main(steps=20, per_device=16):
    jax.distributed.initialize()
    keys = DeviceKeys(3)
    p_step = jax.pmap(step, axis_name="d")
    w = jax_utils.replicate(jnp.zeros((7,)))
    rng = np.random.default_rng([5, jax.process_index()])
    for _ in range(steps):
        x = rng.normal(size=(jax.local_device_count(), per_device, 7)).astype(np.float32)
        w = p_step(w, x, keys.next())
    if jax.process_index() == 0:
        print(np.asarray(w[0]))


if __name__ == "__main__":
    main()
