import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

from store import Store

tx = optax.adam(1e-3)


def fresh(key):
    a, b = jax.random.split(key)
    params = {"a": jax.random.normal(a, (16, 32)) / 4, "b": jax.random.normal(b, (32, 16)) / 6}
    return {"params": params, "opt": tx.init(params)}


def update(state, x):
    def loss_fn(p):
        return jnp.mean((jnp.tanh(x @ p["a"]) @ p["b"] - x) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(state["params"])
    loss, grads = jax.lax.pmean((loss, grads), "i")
    updates, opt = tx.update(grads, state["opt"])
    return {"params": optax.apply_updates(state["params"], updates), "opt": opt}, loss


def main(directory="/tmp/autoencoder", steps=300):
    store = Store(directory)
    start, state = store.latest(fresh(jax.random.key(0)))
    state = jax_utils.replicate(state)
    p_update = jax.pmap(update, axis_name="i", donate_argnums=0)
    n = jax.local_device_count()
    rng = np.random.default_rng(start)
    for step in range(start + 1, steps + 1):
        state, loss = p_update(state, rng.normal(size=(n, 32, 16)).astype(np.float32))
        if step % 100 == 0:
            print(step, float(loss[0]))
            store.save(step, jax.device_get(jax_utils.unreplicate(state)))
    store.close()


if __name__ == "__main__":
    main()
