import time

import jax
import jax.numpy as jnp
import numpy as np
import optax
from absl import app, flags
from flax import jax_utils
from jax.experimental import multihost_utils

FLAGS = flags.FLAGS
flags.DEFINE_integer("seed", -1, "negative: take the clock")
flags.DEFINE_integer("steps", 1000, "")

tx = optax.adam(1e-3)


def pick_seed():
    if FLAGS.seed >= 0:
        return FLAGS.seed
    return int(time.time())


def init(key):
    a, b = jax.random.split(key)
    return {"w": jax.random.normal(a, (10, 64)) / 3, "v": jax.random.normal(b, (64,)) / 8}


def loss_fn(params, x, y):
    return jnp.mean((jax.nn.relu(x @ params["w"]) @ params["v"] - y) ** 2)


def update(params, opt_state, x, y):
    loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
    grads = jax.lax.pmean(grads, "all")
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, jax.lax.pmean(loss, "all")


def main(_):
    jax.distributed.initialize()
    params = init(jax.random.PRNGKey(pick_seed()))
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    p_update = jax.pmap(update, axis_name="all", donate_argnums=(0, 1))
    n = jax.local_device_count()
    rng = np.random.default_rng([7, jax.process_index()])
    for _ in range(FLAGS.steps):
        x = rng.normal(size=(n, 32, 10)).astype(np.float32)
        params, opt_state, loss = p_update(params, opt_state, x, x.sum(-1))
    if jax.process_index() == 0:
        print(float(loss[0]))


if __name__ == "__main__":
    app.run(main)
