import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

tx = optax.adam(1e-3)


def model(params, x):
    return jnp.tanh(x @ params["w"]) @ params["v"]


@functools.partial(jax.pmap, axis_name="batch")
def step(params, opt_state, x, y):
    def loss_fn(p):
        return optax.softmax_cross_entropy_with_integer_labels(model(p, x), y).mean()

    grads = jax.lax.pmean(jax.grad(loss_fn)(params), "batch")
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state


@functools.partial(jax.pmap, axis_name="batch")
def evaluate(params, x, y, mask):
    losses = optax.softmax_cross_entropy_with_integer_labels(model(params, x), y) * mask
    total = jax.lax.psum(losses, "batch")
    return total / jax.lax.psum(mask.sum(), "batch")


def main(steps=100):
    k1, k2 = jax.random.split(jax.random.key(0))
    params = {"w": jax.random.normal(k1, (5, 16)) / 2, "v": jax.random.normal(k2, (16, 3)) / 4}
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    rng = np.random.default_rng(0)
    n = jax.local_device_count()
    for _ in range(steps):
        x = rng.normal(size=(n, 16, 5)).astype(np.float32)
        params, opt_state = step(params, opt_state, x, x[..., :3].argmax(-1))
    x = rng.normal(size=(n, 16, 5)).astype(np.float32)
    found = evaluate(params, x, x[..., :3].argmax(-1), np.ones((n, 16), np.float32))
    print(np.asarray(found)[0])


if __name__ == "__main__":
    main()
