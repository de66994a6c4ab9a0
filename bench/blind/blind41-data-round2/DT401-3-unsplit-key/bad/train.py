import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

tx = optax.adam(1e-3)


def noisy_loss(params, x, key):
    eps = jax.random.normal(key, x.shape)
    return jnp.mean(((x + 0.2 * eps) @ params - x.sum(-1)) ** 2)


def update(state, x, key):
    params, opt = state
    loss, g = jax.value_and_grad(noisy_loss)(params, x, key)
    g = jax.lax.pmean(g, "n")
    up, opt = tx.update(g, opt)
    return (optax.apply_updates(params, up), opt), jax.lax.pmean(loss, "n")


update = jax.pmap(update, axis_name="n")


def main(steps=60):
    n = jax.local_device_count()
    params = jnp.zeros(7)
    state = jax_utils.replicate((params, tx.init(params)))
    key = jax.random.PRNGKey(5)
    rng = np.random.default_rng(1)
    for _ in range(steps):
        key, sub = jax.random.split(key)
        x = rng.normal(size=(n, 24, 7)).astype(np.float32)
        state, loss = update(state, x, sub)
    print(float(loss[0]))


if __name__ == "__main__":
    main()
