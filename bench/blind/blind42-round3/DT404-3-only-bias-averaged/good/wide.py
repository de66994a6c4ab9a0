"""Linear regression with pmap."""
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

tx = optax.sgd(0.1)


def per_example(params, x, y):
    return (x @ params["w"] + params["b"] - y) ** 2


@jax.jit
def predict(params, x):
    return x @ params["w"] + params["b"]


def train_step(params, opt_state, x, y):
    def loss_fn(p):
        return jnp.mean(per_example(p, x, y))

    grads = jax.grad(loss_fn)(params)
    grads = jax.lax.pmean(grads, "batch")
    updates, opt_state = tx.update(grads, opt_state)
    params = optax.apply_updates(params, updates)
    return params, opt_state


def main(steps=100):
    params = {"w": jnp.zeros(8), "b": jnp.zeros(())}
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    p_step = jax.pmap(train_step, axis_name="batch", donate_argnums=(0, 1))
    n = jax.local_device_count()
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(n, 32, 8)).astype(np.float32)
        params, opt_state = p_step(params, opt_state, x, x.sum(-1) + 1)
    final = jax_utils.unreplicate(params)
    print(float(jnp.abs(predict(final, np.ones((1, 8), np.float32)) - 9)[0]))


if __name__ == "__main__":
    main()
