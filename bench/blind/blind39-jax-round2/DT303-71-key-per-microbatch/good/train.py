"""pmap step; micro-batches run in a fori_loop inside of each device."""
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

CONFIG = {"micro": 8, "devices": 4, "rows": 16, "dim": 48, "steps": 100}


def init(key, dim):
    k = jax.random.split(key, 2)
    return {"in": jax.random.normal(k[0], (dim, 96)) / 7, "out": jax.random.normal(k[1], (96, dim)) / 10}


def loss_fn(params, x, key):
    h = jax.nn.gelu(x @ params["in"])
    h = h * jax.random.bernoulli(key, 0.9, h.shape) / 0.9
    return jnp.mean((h @ params["out"] - x) ** 2)


def make_update(tx, micro):
    def update(params, opt_state, x, key):
        def body(i, grads):
            piece = jax.lax.dynamic_index_in_dim(x, i, keepdims=False)
            new = jax.grad(loss_fn)(params, piece, jax.random.fold_in(key, i))
            return jax.tree.map(jnp.add, grads, new)

        grads = jax.lax.fori_loop(0, micro, body, jax.tree.map(jnp.zeros_like, params))
        grads = jax.tree.map(lambda g: jax.lax.pmean(g, "dev") / micro, grads)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state

    return jax.pmap(update, axis_name="dev", devices=jax.local_devices()[: CONFIG["devices"]])


def main(cfg):
    devices = jax.local_devices()[: cfg["devices"]]
    init_key, drop_key = jax.random.split(jax.random.PRNGKey(0))
    tx = optax.adamw(1e-3)
    params = init(init_key, cfg["dim"])
    opt_state = jax_utils.replicate(tx.init(params), devices)
    params = jax_utils.replicate(params, devices)
    update = make_update(tx, cfg["micro"])
    rng = np.random.default_rng(5)
    shape = (cfg["devices"], cfg["micro"], cfg["rows"], cfg["dim"])
    for step in range(cfg["steps"]):
        x = rng.normal(size=shape).astype(np.float32)
        drop_key, step_key = jax.random.split(drop_key)
        keys = jax.random.split(step_key, cfg["devices"])
        params, opt_state = update(params, opt_state, x, keys)
    print(float(jnp.abs(params["in"][0]).mean()))


if __name__ == "__main__":
    main(CONFIG)
