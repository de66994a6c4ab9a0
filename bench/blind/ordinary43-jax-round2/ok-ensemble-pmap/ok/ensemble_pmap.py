"""An ensemble: every device trains its own member on the same batch, nothing is averaged on purpose."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax

tx = optax.adam(1e-2)


def init_member(key):
    k1, k2 = jax.random.split(key)
    params = {"w1": jax.random.normal(k1, (4, 16)) * 0.5, "w2": jax.random.normal(k2, (16, 1)) * 0.1}
    return params, tx.init(params)


def predict(params, x):
    return jnp.tanh(x @ params["w1"]) @ params["w2"]


@functools.partial(jax.pmap, in_axes=(0, 0, None, None))
def train_member(params, opt_state, x, y):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((predict(p, x) - y) ** 2))(params)
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss


@functools.partial(jax.pmap, in_axes=(0, None))
def members_predict(params, x):
    return predict(params, x)


def main():
    members = jax.local_device_count()
    params, opt_state = jax.pmap(init_member)(jax.random.split(jax.random.PRNGKey(0), members))
    rng = np.random.default_rng(1)
    for step in range(50):
        x = rng.normal(size=(32, 4)).astype(np.float32)
        params, opt_state, losses = train_member(params, opt_state, x, x.sum(1, keepdims=True))
    x = rng.normal(size=(16, 4)).astype(np.float32)
    preds = np.asarray(members_predict(params, x))
    print("per member", np.asarray(losses), "disagreement", preds.std(0).mean())


if __name__ == "__main__":
    main()
