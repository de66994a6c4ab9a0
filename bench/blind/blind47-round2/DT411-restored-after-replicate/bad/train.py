import sys

import jax
import jax.numpy as jnp
import numpy as np
from flax import jax_utils

from ckpt import Store


def step(state, x):
    grad = jax.lax.pmean(jax.grad(lambda w: jnp.mean((x @ w - 1) ** 2))(state["w"]), "dev")
    return {"w": state["w"] - 0.1 * grad, "n": state["n"] + 1}


def main(root):
    store = Store(root)
    fresh = {"w": jnp.zeros(4), "n": jnp.zeros((), jnp.int32)}
    state = jax_utils.replicate(fresh)
    state, first = store.latest(fresh)
    run = jax.pmap(step, axis_name="dev")
    rng = np.random.default_rng(0)
    for i in range(first, 100):
        x = rng.normal(size=(jax.local_device_count(), 8, 4)).astype("f4")
        state = run(state, x)
        if i % 20 == 19:
            store.put(i, jax_utils.unreplicate(state))
    store.manager.wait_until_finished()


if __name__ == "__main__":
    main(sys.argv[1])
