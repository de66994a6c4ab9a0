"""Gradient and update are two pmapped functions."""
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

tx = optax.adamw(1e-3)


def loss_fn(params, x, y):
    return jnp.mean((jnp.tanh(x @ params["a"]) @ params["b"] - y) ** 2)


def gradients(params, x, y):
    return jax.value_and_grad(loss_fn)(params, x, y)


def apply(params, opt_state, grads):
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state


p_gradients = jax.pmap(gradients, axis_name="i")
p_apply = jax.pmap(apply, axis_name="i")


def main(steps=100):
    ka, kb = jax.random.split(jax.random.key(0))
    params = {"a": jax.random.normal(ka, (16, 64)) * 0.3, "b": jax.random.normal(kb, (64,)) * 0.1}
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    n = jax.local_device_count()
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(n, 32, 16)).astype(np.float32)
        loss, grads = p_gradients(params, x, np.sin(x).sum(-1))
        params, opt_state = p_apply(params, opt_state, grads)
    print(float(loss.mean()))


if __name__ == "__main__":
    main()
