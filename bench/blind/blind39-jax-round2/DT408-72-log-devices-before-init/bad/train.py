import os

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

from utils import reporting


class Session:
    """Joins the job and leaves it again."""

    def __enter__(self):
        reporting.header("pinn")
        reporting.describe_accelerators()
        if int(os.environ.get("NUM_HOSTS", "1")) > 1:
            jax.distributed.initialize(os.environ["HEAD"], int(os.environ["NUM_HOSTS"]), int(os.environ["HOST_ID"]))
        return self

    def __exit__(self, kind, value, trace):
        if kind is None and int(os.environ.get("NUM_HOSTS", "1")) > 1:
            jax.distributed.shutdown()
        return False


def solution(params, t):
    h = jnp.tanh(t[:, None] * params["w"] + params["b"])
    return 1.0 + t * (h @ params["out"])


def residual(params, t):
    slope = jax.vmap(jax.grad(lambda s: solution(params, s[None])[0]))(t)
    return jnp.mean((slope + solution(params, t)) ** 2)


def main(steps=1000, per_device=64):
    with Session():
        tx = optax.adam(1e-3)
        key_w, key_out = jax.random.split(jax.random.key(3))
        params = {"w": jax.random.normal(key_w, (32,)), "b": jnp.zeros(32), "out": 0.1 * jax.random.normal(key_out, (32,))}

        def update(params, opt_state, t):
            grads = jax.lax.pmean(jax.grad(residual)(params, t), "d")
            updates, opt_state = tx.update(grads, opt_state)
            return optax.apply_updates(params, updates), opt_state

        p_update = jax.pmap(update, axis_name="d")
        params, opt_state = jax_utils.replicate((params, tx.init(params)))
        rng = np.random.default_rng([3, jax.process_index()])
        for _ in range(steps):
            t = rng.uniform(0, 4, size=(jax.local_device_count(), per_device)).astype(np.float32)
            params, opt_state = p_update(params, opt_state, t)
        if jax.process_index() == 0:
            np.savez("pinn.npz", **jax.device_get(jax_utils.unreplicate(params)))


if __name__ == "__main__":
    main()
