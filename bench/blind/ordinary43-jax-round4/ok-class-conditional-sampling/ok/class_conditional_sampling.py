"""Image samples by class for a grid: one fixed key per class every time on purpose; only process 0 writes."""
import functools
import os

import jax
import jax.numpy as jnp
import numpy as np


@functools.partial(jax.jit, static_argnames=("steps",))
def sample(params, label, key, steps=8):
    init_key, loop_key = jax.random.split(key)
    x = jax.random.normal(init_key, (4, 4)) + label

    def body(i, x):
        z = jax.random.normal(jax.random.fold_in(loop_key, i), x.shape)
        return x - 0.1 * params * x + 0.05 * z

    return jax.lax.fori_loop(0, steps, body, x)


@jax.jit
def train_step(params, x, key):
    noise = jax.random.normal(key, x.shape)
    loss, g = jax.value_and_grad(lambda p: jnp.mean((p * x + noise) ** 2))(params)
    return params - 0.1 * g, loss


def grid(params, keys):
    rows = [sample(params, label, k) for label, k in enumerate(keys)]
    return np.concatenate([np.asarray(r) for r in rows], 1)


def main(out="/tmp/grids"):
    train_key, data_key, grid_key = jax.random.split(jax.random.key(0), 3)
    grid_keys = jax.random.split(grid_key, 3)
    if jax.process_index() == 0:
        os.makedirs(out, exist_ok=True)
    params = jnp.float32(1.0)
    for step in range(12):
        x = jax.random.normal(jax.random.fold_in(data_key, step), (8,))
        params, loss = train_step(params, x, jax.random.fold_in(train_key, step))
        if step % 4 == 0:
            image = grid(params, grid_keys)
            if jax.process_index() == 0:
                np.save(os.path.join(out, f"{step}.npy"), image)
    print(float(loss))


if __name__ == "__main__":
    main()
