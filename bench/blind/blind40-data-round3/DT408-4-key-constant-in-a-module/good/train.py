import jax
import numpy as np
import optax
from flax import jax_utils

import model

tx = optax.adam(1e-3)


def step(params, opt_state, x, y):
    def loss_fn(p):
        return ((model.features(p, x).mean((-1, -2)) - y) ** 2).mean()

    grads = jax.lax.pmean(jax.grad(loss_fn)(params), "d")
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state


def main(steps=100):
    jax.distributed.initialize()
    params = model.init(jax.random.key(0))
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    p_step = jax.pmap(step, axis_name="d")
    rng = np.random.default_rng([0, jax.process_index()])
    n = jax.local_device_count()
    for _ in range(steps):
        x = rng.normal(size=(n, 16, 5)).astype(np.float32)
        params, opt_state = p_step(params, opt_state, x, x.mean(-1))
    if jax.process_index() == 0:
        print(np.asarray(params["mix"][0]).std())


if __name__ == "__main__":
    main()
