import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
import tensorflow as tf
from flax import jax_utils
from flax.training import common_utils


def make_dataset(x, y, batch, epoch):
    ds = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(len(x), seed=epoch)
    return ds.batch(batch, drop_remainder=True).prefetch(tf.data.AUTOTUNE)


def head(params, x):
    return jax.nn.relu(x @ params["w0"]) @ params["w1"]


tx = optax.adamw(1e-3)


@functools.partial(jax.pmap, axis_name="batch")
def step(params, opt_state, x, y):
    def loss_fn(p):
        return optax.sigmoid_binary_cross_entropy(head(p, x)[..., 0], y).mean()

    loss, grads = jax.value_and_grad(loss_fn)(params)
    loss, grads = jax.lax.pmean((loss, grads), "batch")
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, loss


def main(epochs=5, batch=256):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(10_007, 32)).astype(np.float32)
    y = (x[:, 0] > x[:, 1]).astype(np.float32)
    k0, k1 = jax.random.split(jax.random.key(0))
    params = {"w0": jax.random.normal(k0, (32, 64)) / 6, "w1": jax.random.normal(k1, (64, 1)) / 8}
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    for epoch in range(epochs):
        for features, target in make_dataset(x, y, batch, epoch).as_numpy_iterator():
            features, target = common_utils.shard((features, target))
            params, opt_state, loss = step(params, opt_state, features, target)
        print(epoch, float(loss[0]))


if __name__ == "__main__":
    main()
