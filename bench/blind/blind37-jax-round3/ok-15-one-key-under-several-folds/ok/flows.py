import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

STREAMS = {"time": 0, "noise": 1, "dropout": 2}
tx = optax.adam(1e-3)


def stream(key, name, step):
    return jax.random.fold_in(jax.random.fold_in(key, STREAMS[name]), step)


def loss_fn(params, x, key, step):
    t = jax.random.uniform(stream(key, "time", step), (len(x), 1))
    noise = jax.random.normal(stream(key, "noise", step), x.shape)
    hidden = jax.nn.silu(((1 - t) * noise + t * x) @ params["w"] + t * params["b"])
    keep = jax.random.bernoulli(stream(key, "dropout", step), 0.9, hidden.shape)
    return jnp.mean(((hidden * keep / 0.9) @ params["v"] - (x - noise)) ** 2)


@functools.partial(jax.pmap, axis_name="b", in_axes=(0, 0, 0, 0, None))
def train_step(params, opt_state, x, key, step):
    loss, grads = jax.value_and_grad(loss_fn)(params, x, key, step)
    loss, grads = jax.lax.pmean((loss, grads), "b")
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss


def main(steps=400):
    jax.distributed.initialize()
    root = jax.random.PRNGKey(0)
    kw, kv = jax.random.split(jax.random.fold_in(root, 100))
    params = {"w": jax.random.normal(kw, (8, 64)) / 3, "b": jnp.zeros(64), "v": jax.random.normal(kv, (64, 8)) / 8}
    params, opt_state = jax_utils.replicate((params, tx.init(params)))
    local = jax.random.fold_in(jax.random.fold_in(root, 200), jax.process_index())
    keys = jax.random.split(local, jax.local_device_count())  # one for each device, for all of the training
    draw = np.random.default_rng((3, jax.process_index()))
    for step in range(steps):
        x = draw.normal(size=(jax.local_device_count(), 64, 8)).astype(np.float32)
        params, opt_state, loss = train_step(params, opt_state, x, keys, step)
    if jax.process_index() == 0:
        print(float(loss[0]))


if __name__ == "__main__":
    main()
