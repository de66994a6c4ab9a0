import functools
import sys

import jax
import jax.numpy as jnp
import numpy as np
import optax

from layout import MODEL, Layout


def init(key, d=32, hidden=128):
    up, down = jax.random.split(key)
    return {"up": 0.1 * jax.random.normal(up, (d, hidden)), "down": 0.1 * jax.random.normal(down, (hidden, d))}


def forward(layout, params, x):
    h = layout.activations(jax.nn.gelu(x @ params["up"]))
    return h @ params["down"]


def loss_fn(params, x, layout):
    return jnp.mean((forward(layout, params, x) - x) ** 2)


def main(model_parallel=2, steps=20):
    layout = Layout(model_parallel)
    params = init(jax.random.key(0))
    params = {"up": jax.device_put(params["up"], layout.named(None, MODEL)), "down": jax.device_put(params["down"], layout.named(MODEL, None))}
    tx = optax.adam(1e-3)
    opt_state = tx.init(params)
    grad_fn = jax.jit(jax.value_and_grad(functools.partial(loss_fn, layout=layout)))
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = layout.rows(rng.normal(size=(16, 8, 32)).astype(np.float32))
        loss, grads = grad_fn(params, x)
        updates, opt_state = tx.update(grads, opt_state)
        params = optax.apply_updates(params, updates)
    print(float(loss))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
