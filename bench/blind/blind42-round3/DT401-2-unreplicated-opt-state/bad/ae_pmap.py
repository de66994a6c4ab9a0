"""Sparse autoencoder with pmap; parameters are put on the devices with device_put_replicated-like helpers."""
import jax
import jax.numpy as jnp
import numpy as np
import optax

tx = optax.adam(1e-3)


def on_all_devices(tree):
    n = jax.local_device_count()
    return jax.tree.map(lambda v: jnp.broadcast_to(v, (n,) + v.shape), tree)


def loss_fn(params, x):
    code = jax.nn.relu(x @ params["enc"] + params["bias"])
    return jnp.mean((code @ params["dec"] - x) ** 2) + 1e-3 * jnp.mean(jnp.abs(code))


def step(params, opt_state, x):
    loss, grads = jax.value_and_grad(loss_fn)(params, x)
    grads = jax.lax.pmean(grads, "i")
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, jax.lax.pmean(loss, "i")


p_step = jax.pmap(step, axis_name="i", donate_argnums=(0, 1))


def init(key, d=32, h=256):
    a, b = jax.random.split(key)
    return {"enc": jax.random.normal(a, (d, h)) * 0.1, "dec": jax.random.normal(b, (h, d)) * 0.1, "bias": jnp.zeros(h)}


def main(steps=100):
    params = init(jax.random.key(0))
    opt_state = tx.init(params)
    params = on_all_devices(params)
    n = jax.local_device_count()
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(n, 64, 32)).astype(np.float32)
        params, opt_state, loss = p_step(params, opt_state, x)
    print(float(loss[0]))


if __name__ == "__main__":
    main()
