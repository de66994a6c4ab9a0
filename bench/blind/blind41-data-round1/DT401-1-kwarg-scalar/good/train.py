import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

tx = optax.adam(1e-3)


def forward(params, x, key, rate):
    hidden = jax.nn.relu(x @ params["w"])
    keep = jax.random.bernoulli(key, 1.0 - rate, hidden.shape)
    return (hidden * keep / (1.0 - rate)) @ params["v"]


def _update(params, opt_state, x, y, key, rate):
    def loss_fn(p):
        return jnp.mean((forward(p, x, key, rate)[:, 0] - y) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(params)
    grads = jax.lax.pmean(grads, "i")
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, jax.lax.pmean(loss, "i")


update = jax.pmap(_update, axis_name="i", in_axes=(0, 0, 0, 0, 0, None))


def main(steps=200, rate=0.1):
    n = jax.local_device_count()
    k1, k2, key = jax.random.split(jax.random.PRNGKey(0), 3)
    params = {"w": jax.random.normal(k1, (10, 32)), "v": jax.random.normal(k2, (32, 1))}
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    rng = np.random.default_rng(0)
    for step in range(steps):
        x = rng.normal(size=(n, 16, 10)).astype(np.float32)
        y = x.sum(-1)
        keys = jax.random.split(jax.random.fold_in(key, step), n)
        params, opt_state, loss = update(params, opt_state, x, y, keys, rate)
    print(float(loss[0]))


if __name__ == "__main__":
    main()
