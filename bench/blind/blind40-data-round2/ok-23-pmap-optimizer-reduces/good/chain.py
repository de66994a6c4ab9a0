import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils


def mean_over(axis_name):
    def init(_):
        return optax.EmptyState()

    def update(updates, state, params=None):
        return jax.lax.pmean(updates, axis_name), state

    return optax.GradientTransformation(init, update)


TX = optax.chain(mean_over("r"), optax.clip_by_global_norm(1.0), optax.adamw(1e-3))


def apply(params, x):
    return jnp.tanh(x @ params["w"]) @ params["v"]


@functools.partial(jax.pmap, axis_name="r", donate_argnums=(0, 1))
def step(params, opt_state, x, y):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((apply(p, x) - y) ** 2))(params)
    updates, opt_state = TX.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, jax.lax.pmean(loss, "r")


def main(steps=100):
    k1, k2 = jax.random.split(jax.random.key(0))
    params = {"w": jax.random.normal(k1, (8, 32)) / 3, "v": jax.random.normal(k2, (32,)) / 6}
    opt_state = jax_utils.replicate(TX.init(params))
    params = jax_utils.replicate(params)
    rng = np.random.default_rng(0)
    n = jax.local_device_count()
    for _ in range(steps):
        x = rng.normal(size=(n, 16, 8)).astype(np.float32)
        params, opt_state, loss = step(params, opt_state, x, x[..., 0])
    print(float(loss[0]), jax.tree.map(np.shape, jax_utils.unreplicate(params)))


if __name__ == "__main__":
    main()
