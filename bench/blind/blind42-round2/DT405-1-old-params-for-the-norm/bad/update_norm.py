"""Logs the relative size of the updates every few steps."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax

tx = optax.lamb(1e-2)


def init(key, sizes=(20, 128, 128, 1)):
    keys = jax.random.split(key, len(sizes) - 1)
    return [jax.random.normal(k, (a, b)) / a**0.5 for k, a, b in zip(keys, sizes[:-1], sizes[1:])]


def predict(params, x):
    for w in params[:-1]:
        x = jax.nn.gelu(x @ w)
    return (x @ params[-1])[:, 0]


@partial(jax.jit, donate_argnums=(0, 1))
def step(params, opt_state, x, y):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((predict(p, x) - y) ** 2))(params)
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, loss


@jax.jit
def relative_change(new, old):
    moved = optax.global_norm(jax.tree.map(jnp.subtract, new, old))
    return moved / optax.global_norm(old)


def batches(rng, count, size):
    for _ in range(count):
        x = rng.normal(size=(size, 20)).astype(np.float32)
        yield x, np.cos(x).sum(1)


def main(steps=300):
    params = init(jax.random.key(0))
    opt_state = tx.init(params)
    history = []
    for i, (x, y) in enumerate(batches(np.random.default_rng(1), steps, 256)):
        new_params, opt_state, loss = step(params, opt_state, x, y)
        if i % 25 == 0:
            history.append(relative_change(new_params, params))
        params = new_params
    print("loss", float(loss), "changes", [f"{float(h):.1e}" for h in history])


if __name__ == "__main__":
    main()
