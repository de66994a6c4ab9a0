from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

tx = optax.sgd(0.05)


def summed_loss(params, x, y, mask):
    err = (x @ params["w"] + params["b"] - y) ** 2
    return jnp.sum(err * mask)


@partial(jax.pmap, axis_name="dev")
def update(params, opt_state, x, y, mask):
    total, grads = jax.value_and_grad(summed_loss)(params, x, y, mask)
    count = jax.lax.psum(jnp.sum(mask), "dev")
    total, grads = jax.lax.psum((total, grads), "dev")
    grads = jax.tree.map(lambda g: g / count, grads)
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, total / count


def padded(rng, rows, n):
    x = rng.normal(size=(rows, 3)).astype(np.float32)
    short = -rows % n
    mask = np.concatenate([np.ones(rows), np.zeros(short)]).astype(np.float32)
    x = np.pad(x, ((0, short), (0, 0)))
    return x.reshape(n, -1, 3), (x.sum(-1)).reshape(n, -1), mask.reshape(n, -1)


def main(steps=20):
    n = jax.local_device_count()
    host = {"w": jnp.zeros((3,)), "b": jnp.zeros(())}
    opt_state = jax_utils.replicate(tx.init(host))
    params = jax_utils.replicate(host)
    rng = np.random.default_rng(1)
    for _ in range(steps):
        params, opt_state, loss = update(params, opt_state, *padded(rng, int(rng.integers(50, 64)), n))
    print(float(loss[0]), jax.tree.map(np.asarray, jax_utils.unreplicate(params)))


if __name__ == "__main__":
    main()
