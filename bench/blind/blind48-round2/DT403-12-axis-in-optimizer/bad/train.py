import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

import sync_optim

tx = sync_optim.build(1e-3)


def loss_fn(params, x):
    return jnp.mean((x @ params["enc"] @ params["dec"] - x) ** 2)


def train_step(params, opt_state, x):
    grads = jax.grad(loss_fn)(params, x)
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state


def main(steps=20):
    k1, k2 = jax.random.split(jax.random.PRNGKey(0))
    params = {"enc": 0.3 * jax.random.normal(k1, (12, 4)), "dec": 0.3 * jax.random.normal(k2, (4, 12))}
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    p_step = jax.pmap(train_step, axis_name="data", donate_argnums=(0, 1))
    n = jax.local_device_count()
    rng = np.random.default_rng(0)
    for _ in range(steps):
        params, opt_state = p_step(params, opt_state, rng.normal(size=(n, 32, 12)).astype(np.float32))


if __name__ == "__main__":
    main()
