import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

import optim


def main():
    tx = optim.build("x")
    params = {"w": jnp.zeros(5)}
    opt = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)

    def step(params, opt, x):
        grads = jax.grad(lambda p: jnp.mean((x @ p["w"] - 1) ** 2))(params)
        updates, opt = tx.update(grads, opt, params)
        return optax.apply_updates(params, updates), opt

    run = jax.pmap(step, axis_name="x", donate_argnums=(0, 1))
    rng = np.random.default_rng(0)
    for _ in range(40):
        params, opt = run(params, opt, rng.normal(size=(jax.local_device_count(), 4, 5)).astype("f4"))
    print(jax_utils.unreplicate(params))


if __name__ == "__main__":
    main()
