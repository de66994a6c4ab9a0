import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils


def init(key, dim, hidden):
    k1, k2 = jax.random.split(key)
    return {"a": jax.random.normal(k1, (dim, hidden)) / dim**0.5, "b": jax.random.normal(k2, (hidden, dim)) / hidden**0.5}


def reconstruct(params, x):
    return jax.nn.relu(x @ params["a"]) @ params["b"]


def update(loss_fn, tx, params, opt_state, batch):
    loss, grads = jax.value_and_grad(loss_fn)(params, batch)
    grads = jax.lax.pmean(grads, axis_name="copies")
    changes, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, changes), opt_state, jax.lax.pmean(loss, axis_name="copies")


def squared(params, batch):
    return jnp.mean((reconstruct(params, batch) - batch) ** 2)


def batches(n, size, dim, steps):
    rng = np.random.default_rng(11)
    basis = rng.normal(size=(4, dim))
    for _ in range(steps):
        yield (rng.normal(size=(n, size // n, 4)) @ basis).astype(np.float32)


def main(dim=32, size=128, steps=60):
    tx = optax.chain(optax.clip_by_global_norm(1.0), optax.sgd(0.05, momentum=0.9))
    params = init(jax.random.key(0), dim, 64)
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    p_update = jax.pmap(
        functools.partial(update, squared, tx),
        axis_name="copies",
        donate_argnums=(0, 1),
    )
    for number, batch in enumerate(batches(jax.local_device_count(), size, dim, steps)):
        params, opt_state, loss = p_update(params, opt_state, batch)
        if number % 20 == 0:
            print(number, float(loss[0]))
    np.savez("autoencoder.npz", **jax.device_get(jax_utils.unreplicate(params)))


if __name__ == "__main__":
    main()
