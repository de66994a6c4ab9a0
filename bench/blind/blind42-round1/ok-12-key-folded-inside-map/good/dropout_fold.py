"""One replicated key, folded with the device's index inside the mapped step."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax

tx = optax.adamw(1e-3)


def net(params, key, x):
    h = jax.nn.relu(x @ params["w1"])
    keep = jax.random.bernoulli(key, 0.9, h.shape)
    return jnp.where(keep, h / 0.9, 0.0) @ params["w2"]


@functools.partial(jax.pmap, axis_name="dev", in_axes=(None, None, None, 0, 0), out_axes=None)
def step(params, opt_state, key, x, y):
    key = jax.random.fold_in(key, jax.lax.axis_index("dev"))
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((net(p, key, x) - y) ** 2))(params)
    grads = jax.lax.pmean(grads, "dev")
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, jax.lax.pmean(loss, "dev")


def main(steps=50):
    key = jax.random.PRNGKey(0)
    key, k1, k2 = jax.random.split(key, 3)
    params = {"w1": jax.random.normal(k1, (16, 64)) * 0.2, "w2": jax.random.normal(k2, (64, 1)) * 0.1}
    opt_state = tx.init(params)
    d = jax.local_device_count()
    rng = np.random.default_rng(0)
    for i in range(steps):
        x = rng.normal(size=(d, 32, 16)).astype(np.float32)
        params, opt_state, loss = step(params, opt_state, jax.random.fold_in(key, i), x, x[..., :1] ** 2)
    print(float(loss))


if __name__ == "__main__":
    main()
