import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training.common_utils import shard

tx = optax.sgd(0.05, momentum=0.9)


def init(key):
    k1, k2 = jax.random.split(key)
    return {"w1": jax.random.normal(k1, (20, 64)) * 0.1, "w2": jax.random.normal(k2, (64, 1)) * 0.1}


def mse(params, x, y):
    hidden = jnp.tanh(x @ params["w1"])
    return jnp.mean((hidden @ params["w2"] - y[:, None]) ** 2)


@functools.partial(jax.pmap, axis_name="dp", donate_argnums=(0, 1))
def update(params, opt_state, x, y):
    loss, grads = jax.value_and_grad(mse)(params, x, y)
    grads = jax.lax.pmean(grads, "dp")
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, jax.lax.pmean(loss, "dp")


def epoch_batches(x, y, batch_size, rng):
    order = rng.permutation(len(x))
    for start in range(0, len(x), batch_size):
        take = order[start : start + batch_size]
        yield x[take], y[take]


def main(n=5001, batch_size=128, epochs=5):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 20)).astype(np.float32)
    y = x[:, 0] * x[:, 1]
    params = init(jax.random.PRNGKey(0))
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    for epoch in range(epochs):
        for bx, by in epoch_batches(x, y, batch_size, rng):
            params, opt_state, loss = update(params, opt_state, shard(bx), shard(by))
        print(epoch, float(loss[0]))


if __name__ == "__main__":
    main()
