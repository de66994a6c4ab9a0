import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils


def dense(key, fan_in, fan_out):
    return {"w": jax.random.normal(key, (fan_in, fan_out)) * (2 / fan_in) ** 0.5, "b": jnp.zeros(fan_out)}


def init(key, dim, width, depth):
    k_in, k_hidden, k_out = jax.random.split(key, 3)
    hidden = [dense(k, width, width) for k in jax.random.split(k_hidden, depth)]
    return {"in": dense(k_in, dim, width), "hidden": hidden, "out": dense(k_out, width, 1)}


def forward(params, x):
    x = jax.nn.relu(x @ params["in"]["w"] + params["in"]["b"])
    for layer in params["hidden"]:
        x = x + jax.nn.relu(x @ layer["w"] + layer["b"])
    return (x @ params["out"]["w"] + params["out"]["b"])[..., 0]


tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-3))


@functools.partial(jax.pmap, axis_name="d", donate_argnums=(0, 1))
def step(params, opt_state, x, y):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((forward(p, x) - y) ** 2))(params)
    loss, grads = jax.lax.pmean((loss, grads), "d")
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, loss


def main(steps=200):
    params = init(jax.random.key(3), 16, 128, depth=4)
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    rng = np.random.default_rng(0)
    n = jax.local_device_count()
    for _ in range(steps):
        x = rng.normal(size=(n, 64, 16)).astype(np.float32)
        params, opt_state, loss = step(params, opt_state, x, np.cos(x).sum(-1))
    print(float(loss[0]))


if __name__ == "__main__":
    main()
