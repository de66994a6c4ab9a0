"""Contrastive pre-training of sensor windows on a slice of hosts."""
from absl import app, flags
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

from simclr_model import network

FLAGS = flags.FLAGS
flags.DEFINE_integer("seed", 17, "seed of initialisation and augmentation")
flags.DEFINE_integer("steps", 400, "optimizer steps")
flags.DEFINE_integer("per_device_batch", 64, "windows per device")


def jitter(key, window):
    k_scale, k_noise = jax.random.split(key)
    scale = 1.0 + 0.1 * jax.random.normal(k_scale, (window.shape[0], 1))
    return window * scale + 0.05 * jax.random.normal(k_noise, window.shape)


def nt_xent(params, window, key):
    left, right = jax.random.split(key)
    a = network.apply(params, jitter(left, window))
    b = network.apply(params, jitter(right, window))
    logits = a @ b.T / 0.1
    return optax.softmax_cross_entropy_with_integer_labels(logits, jnp.arange(a.shape[0])).mean()


def make_update(tx):
    def update(params, opt_state, window, key):
        loss, grads = jax.value_and_grad(nt_xent)(params, window, key)
        grads, loss = jax.lax.pmean((grads, loss), "i")
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    return jax.pmap(update, axis_name="i", donate_argnums=(0, 1))


def windows(path, per_device):
    shards = np.load(path, mmap_mode="r")[jax.process_index() :: jax.process_count()]
    draw = np.random.default_rng([FLAGS.seed, jax.process_index()])
    n = jax.local_device_count()
    while True:
        rows = np.sort(draw.integers(0, len(shards), n * per_device))
        yield np.asarray(shards[rows], np.float32).reshape(n, per_device, -1)


def main(_):
    jax.distributed.initialize()
    tx = optax.lamb(2e-3)
    init_key, train_key = jax.random.split(jax.random.PRNGKey(FLAGS.seed))
    params = network.init(init_key, jnp.zeros((1, 96)))
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    update = make_update(tx)
    train_key = jax.random.fold_in(train_key, jax.process_index())
    stream = windows("windows.npy", FLAGS.per_device_batch)
    for step in range(FLAGS.steps):
        train_key, sub = jax.random.split(train_key)
        keys = jax.random.split(sub, jax.local_device_count())
        params, opt_state, loss = update(params, opt_state, next(stream), keys)
        if step % 100 == 0 and jax.process_index() == 0:
            print(step, float(loss[0]))


if __name__ == "__main__":
    app.run(main)
