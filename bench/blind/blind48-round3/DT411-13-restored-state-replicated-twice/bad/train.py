import jax
import jax.numpy as jnp
import numpy as np
from flax import jax_utils

import checkpoint


def step(state, x):
    grad = jax.grad(lambda w: jnp.mean((x @ w - x.sum(-1)) ** 2))(state["w"])
    return {"w": state["w"] - 0.05 * jax.lax.pmean(grad, "b"), "step": state["step"] + 1}


def main(steps=20):
    state = {"w": jnp.zeros((4,)), "step": jnp.zeros((), jnp.int32)}
    state = checkpoint.restore_or(state)
    state = jax_utils.replicate(state)
    p_step = jax.pmap(step, axis_name="b")
    n = jax.local_device_count()
    rng = np.random.default_rng(0)
    for _ in range(steps):
        state = p_step(state, rng.normal(size=(n, 8, 4)).astype(np.float32))
    checkpoint.save(state)


if __name__ == "__main__":
    main()
