import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

from tot.reduce import over

AXIS = "d"
tx = optax.sgd(0.05, momentum=0.9)
shared = over(AXIS)


def loss_fn(params, x):
    return jnp.mean(jnp.square(jnp.tanh(x @ params["a"]) @ params["b"] - x.sum(-1)))


def step(params, opt_state, x):
    grads = shared(jax.grad(loss_fn)(params, x))
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state


def main(steps=20):
    a, b = jax.random.split(jax.random.key(0))
    params = {"a": jax.random.normal(a, (4, 8)) / 2, "b": jax.random.normal(b, (8,)) / 3}
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    p_step = jax.pmap(step, axis_name=AXIS)
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(jax.local_device_count(), 16, 4)).astype(np.float32)
        params, opt_state = p_step(params, opt_state, x)
    return jax_utils.unreplicate(params)
