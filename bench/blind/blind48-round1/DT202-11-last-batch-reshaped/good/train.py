import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

from loader import Batches

tx = optax.sgd(0.05)


def loss_fn(w, x, y):
    return jnp.mean((x @ w - y) ** 2)


def train_step(w, opt_state, x, y):
    loss, grads = jax.value_and_grad(loss_fn)(w, x, y)
    grads = jax.lax.pmean(grads, "batch")
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(w, updates), opt_state, jax.lax.pmean(loss, "batch")


def shard(a):
    return a.reshape((jax.local_device_count(), -1) + a.shape[1:])


def main(epochs=3):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(1001, 8)).astype(np.float32)
    y = x.sum(axis=1)
    w = jnp.zeros((8,))
    opt_state = jax_utils.replicate(tx.init(w))
    w = jax_utils.replicate(w)
    step = jax.pmap(train_step, axis_name="batch", donate_argnums=(0, 1))
    batches = Batches(x, y, 64, drop_last=True)
    for _ in range(epochs):
        for bx, by in batches:
            w, opt_state, loss = step(w, opt_state, shard(bx), shard(by))
    print("loss", float(loss[0]))


if __name__ == "__main__":
    main()
