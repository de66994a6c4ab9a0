import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

from noise.config import BATCH, DIM, SIGMA
from noise.keys import step_keys

tx = optax.sgd(1e-2)


def denoise(params, x):
    return jnp.tanh(x @ params["up"]) @ params["down"]


def update(params, opt_state, x, key):
    noisy = x + SIGMA * jax.random.normal(key, x.shape)
    grads = jax.grad(lambda p: jnp.mean((denoise(p, noisy) - x) ** 2))(params)
    updates, opt_state = tx.update(jax.lax.pmean(grads, "b"), opt_state)
    return optax.apply_updates(params, updates), opt_state


def main(steps=10):
    key = jax.random.PRNGKey(3)
    key, k_up, k_down = jax.random.split(key, 3)
    params = {"up": jax.random.normal(k_up, (DIM, 16)), "down": jax.random.normal(k_down, (16, DIM))}
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    p_update = jax.pmap(update, axis_name="b")
    n = jax.local_device_count()
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(n, BATCH // n, DIM)).astype(np.float32)
        key, keys = step_keys(key)
        params, opt_state = p_update(params, opt_state, x, keys)
    return params


if __name__ == "__main__":
    main()
