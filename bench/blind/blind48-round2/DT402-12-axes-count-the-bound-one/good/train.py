import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils


def train_step(tx, params, opt_state, x, y):
    def loss_fn(p):
        return jnp.mean((jnp.tanh(x @ p["a"]) @ p["b"] - y) ** 2)

    grads = jax.lax.pmean(jax.grad(loss_fn)(params), "b")
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state


def make_step(tx):
    return jax.pmap(functools.partial(train_step, tx), axis_name="b", in_axes=(0, 0, 0, 0))


def main(steps=20):
    tx = optax.adamw(1e-3)
    k1, k2 = jax.random.split(jax.random.PRNGKey(0))
    params = {"a": 0.3 * jax.random.normal(k1, (8, 16)), "b": 0.3 * jax.random.normal(k2, (16,))}
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    step = make_step(tx)
    n = jax.local_device_count()
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(n, 16, 8)).astype(np.float32)
        params, opt_state = step(params, opt_state, x, x[..., 0])
    return jax_utils.unreplicate(params)


if __name__ == "__main__":
    main()
