import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

from pipeline import ShardedStream

TX = optax.sgd(0.1)


def predict(params, x):
    return jax.nn.sigmoid(x @ params["w"] + params["b"])


@functools.partial(jax.pmap, axis_name="d", donate_argnums=(0, 1))
def step(params, opt_state, x, y):
    def loss_fn(p):
        q = jnp.clip(predict(p, x), 1e-5, 1 - 1e-5)
        return -jnp.mean(y * jnp.log(q) + (1 - y) * jnp.log(1 - q))

    loss, grads = jax.value_and_grad(loss_fn)(params)
    loss, grads = jax.lax.pmean((loss, grads), "d")
    updates, opt_state = TX.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss


def main(steps=20, global_batch=64):
    jax.distributed.initialize()
    table = np.random.default_rng(3).normal(size=(1024, 9)).astype(np.float32)
    stream = ShardedStream(table, (table.sum(-1) > 0).astype(np.float32), global_batch, seed=0)
    params = {"w": jnp.zeros((9,)), "b": jnp.zeros(())}
    opt_state = jax_utils.replicate(TX.init(params))
    params = jax_utils.replicate(params)
    for i, (x, y) in zip(range(steps), stream):
        params, opt_state, loss = step(params, opt_state, x, y)
        if i % 5 == 0 and jax.process_index() == 0:
            print(i, float(loss[0]))


if __name__ == "__main__":
    main()
