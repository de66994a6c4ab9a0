"""Denoising score matching with a pmapped step and Equinox."""
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax


def loss_fn(net, x, key):
    t_key, e_key = jax.random.split(key)
    t = jax.random.uniform(t_key, (x.shape[0], 1), minval=0.01)
    eps = jax.random.normal(e_key, x.shape)
    out = jax.vmap(net)(jnp.concatenate([x + t * eps, t], axis=1))
    return jnp.mean((out + eps) ** 2)


def make_step(static, tx):
    def step(params, opt_state, x, key):
        net_loss = lambda p: loss_fn(eqx.combine(p, static), x, key)
        loss, grads = jax.value_and_grad(net_loss)(params)
        grads = jax.lax.pmean(grads, "p")
        updates, opt_state = tx.update(grads, opt_state, params)
        return eqx.apply_updates(params, updates), opt_state, jax.lax.pmean(loss, "p")

    return jax.pmap(step, axis_name="p", in_axes=(None, None, 0, 0), out_axes=(None, None, None))


def rings(rng, n):
    angle = rng.uniform(0, 2 * np.pi, n)
    radius = rng.choice([1.0, 2.0], n) + 0.05 * rng.normal(size=n)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1).astype(np.float32)


def main(steps=200, batch=256):
    net_key, key = jax.random.split(jax.random.key(0))
    net = eqx.nn.MLP(3, 2, 128, 3, key=net_key)
    params, static = eqx.partition(net, eqx.is_inexact_array)
    tx = optax.adam(1e-3)
    opt_state = tx.init(params)
    step = make_step(static, tx)
    devices = jax.local_device_count()
    rng = np.random.default_rng(0)
    for _ in range(steps):
        key, sub = jax.random.split(key)
        x = rings(rng, batch).reshape(devices, batch // devices, 2)
        keys = jax.random.split(sub, devices)
        params, opt_state, loss = step(params, opt_state, x, keys)
    print(float(loss))


if __name__ == "__main__":
    main()
