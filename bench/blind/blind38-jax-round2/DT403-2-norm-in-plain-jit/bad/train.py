import argparse
import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from jax import lax

import objective

tx = optax.rmsprop(1e-3)


@functools.partial(jax.pmap, axis_name=objective.AXIS, donate_argnums=(0, 1))
def update(params, opt_state, x, y):
    loss, grads = objective.gradient(params, x, y)
    grads = lax.pmean(grads, objective.AXIS)
    changes, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, changes), opt_state, lax.pmean(loss, objective.AXIS)


@jax.jit
def curvature(params, x, y, direction):
    """Second derivative of the loss along a direction, on one batch."""
    first = functools.partial(objective.loss, x=x, y=y)
    along = lambda t: first(jax.tree.map(lambda p, d: p + t * d, params, direction))
    return jax.grad(jax.grad(along))(0.0)


def data(rng, n, rows):
    x = rng.normal(2.0, 3.0, (n, rows, 12)).astype(np.float32)
    return x, np.sin(x[..., 0]) - x[..., 1] / 3


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--rows", type=int, default=64)
    args = parser.parse_args()
    n = jax.local_device_count()
    k_w, k_v = jax.random.split(jax.random.key(0))
    params = {"w": jax.random.normal(k_w, (12, 64)) * 0.3, "v": jax.random.normal(k_v, (64,)) * 0.1}
    direction = jax.tree.map(jnp.ones_like, params)
    state = jax_utils.replicate((params, tx.init(params)))
    rng = np.random.default_rng(0)
    for i in range(args.steps):
        x, y = data(rng, n, args.rows)
        *state, loss = update(*state, x, y)
        if i % 50 == 0:
            single = jax_utils.unreplicate(state[0])
            x, y = data(rng, n, args.rows)
            bend = curvature(single, x.reshape(-1, 12), y.reshape(-1), direction)
            print(i, float(loss[0]), float(bend))


if __name__ == "__main__":
    main()
