import sys

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

from keep.files import newest, read, write

tx = optax.adam(1e-2)


def update(state, x):
    params, opt_state = state
    grads = jax.lax.pmean(jax.grad(lambda p: jnp.mean((x @ p["w"] - x[:, 0]) ** 2))(params), "d")
    deltas, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, deltas), opt_state


def main(steps=100, folder="kept"):
    params = {"w": jnp.zeros((5,))}
    fresh = (params, tx.init(params))
    state = jax_utils.replicate(fresh)
    if "--resume" in sys.argv:
        state = read(newest(folder), fresh)
    p_update = jax.pmap(update, axis_name="d")
    rng = np.random.default_rng(jax.process_index())
    for step in range(steps):
        x = rng.normal(size=(jax.local_device_count(), 16, 5)).astype(np.float32)
        state = p_update(state, x)
    if jax.process_index() == 0:
        write(folder, steps, jax.device_get(jax_utils.unreplicate(state)))


if __name__ == "__main__":
    main()
