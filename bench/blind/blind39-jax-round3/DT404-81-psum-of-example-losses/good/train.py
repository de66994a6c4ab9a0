"""Masked regression; the number of valid rows differs by device."""
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils


def predict(params, x):
    return jax.nn.gelu(x @ params["a"]) @ params["b"]


def weighted_loss(params, x, y, weight):
    errors = optax.huber_loss(predict(params, x)[:, 0], y) * weight
    return errors.sum() / jax.lax.psum(weight.sum(), "shard")


def update_fn(tx):
    def update(params, opt_state, x, y, weight):
        loss, grads = jax.value_and_grad(weighted_loss)(params, x, y, weight)
        loss, grads = jax.lax.psum((loss, grads), "shard")
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    return jax.pmap(update, axis_name="shard", donate_argnums=(0, 1))


def main(steps=200, per_device=64):
    n = jax.local_device_count()
    ka, kb = jax.random.split(jax.random.key(5))
    params = {"a": jax.random.normal(ka, (12, 48)) / 3.5, "b": jax.random.normal(kb, (48, 1)) / 7}
    tx = optax.adamw(1e-3)
    params, opt_state = jax_utils.replicate((params, tx.init(params)))
    update = update_fn(tx)
    rng = np.random.default_rng(5)
    for step in range(steps):
        x = rng.normal(size=(n, per_device, 12)).astype(np.float32)
        weight = (rng.random((n, per_device)) < 0.7).astype(np.float32)
        params, opt_state, loss = update(params, opt_state, x, np.cos(x).sum(-1), weight)
        if step % 50 == 0:
            print(step, float(loss[0]))


if __name__ == "__main__":
    main()
