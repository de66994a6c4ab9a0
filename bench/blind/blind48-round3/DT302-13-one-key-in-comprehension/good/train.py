import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

from nets import apply_mlp, init_mlp

tx = optax.adam(1e-3)


def train_step(params, opt_state, x):
    def loss_fn(p):
        return jnp.mean((apply_mlp(p, x)[..., 0] - x.sum(-1)) ** 2)

    grads = jax.lax.pmean(jax.grad(loss_fn)(params), "i")
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state


def main(steps=50):
    params = init_mlp(jax.random.PRNGKey(0), (16, 16, 16, 1))
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    p_step = jax.pmap(train_step, axis_name="i")
    n = jax.local_device_count()
    rng = np.random.default_rng(0)
    for _ in range(steps):
        params, opt_state = p_step(params, opt_state, rng.normal(size=(n, 8, 16)).astype(np.float32))


if __name__ == "__main__":
    main()
