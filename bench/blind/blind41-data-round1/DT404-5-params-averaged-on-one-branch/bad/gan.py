import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils, struct


@struct.dataclass
class Side:
    params: dict
    opt_state: optax.OptState


g_tx, d_tx = optax.adam(1e-4, b1=0.5), optax.adam(4e-4, b1=0.5)


def generate(params, z):
    return jnp.tanh(z @ params["w"] + params["b"])


def score(params, x):
    return jax.nn.leaky_relu(x @ params["w"]) @ params["v"]


def d_loss(d, g, real, z):
    return jnp.mean(jax.nn.softplus(-score(d, real))) + jnp.mean(jax.nn.softplus(score(d, generate(g, z))))


def g_loss(g, d, z):
    return jnp.mean(jax.nn.softplus(-score(d, generate(g, z))))


def advance(side, tx, grads):
    updates, opt_state = tx.update(grads, side.opt_state)
    return Side(optax.apply_updates(side.params, updates), opt_state)


@functools.partial(jax.pmap, axis_name="gan", donate_argnums=(0, 1))
def step(gen, dis, real, key):
    z = jax.random.normal(key, (real.shape[0], 8))
    d_value, d_grads = jax.value_and_grad(d_loss)(dis.params, gen.params, real, z)
    dis = advance(dis, d_tx, d_grads)
    g_value, g_grads = jax.value_and_grad(g_loss)(gen.params, dis.params, z)
    g_grads = jax.lax.pmean(g_grads, "gan")
    gen = advance(gen, g_tx, g_grads)
    return gen, dis, jax.lax.pmean((g_value, d_value), "gan")


def main(steps=200):
    k1, k2, k3, key = jax.random.split(jax.random.PRNGKey(0), 4)
    g = {"w": jax.random.normal(k1, (8, 16)) * 0.1, "b": jnp.zeros(16)}
    d = {"w": jax.random.normal(k2, (16, 32)) * 0.1, "v": jax.random.normal(k3, (32,)) * 0.1}
    gen, dis = jax_utils.replicate((Side(g, g_tx.init(g)), Side(d, d_tx.init(d))))
    n = jax.local_device_count()
    rng = np.random.default_rng(0)
    for _ in range(steps):
        key, sub = jax.random.split(key)
        real = rng.normal(size=(n, 32, 16)).astype(np.float32)
        gen, dis, losses = step(gen, dis, real, jax.random.split(sub, n))
    print([float(v[0]) for v in losses])


if __name__ == "__main__":
    main()
