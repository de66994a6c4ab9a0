import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

from sampler import NoiseSource, spread

tx = optax.adam(2e-4, b1=0.5)


def generate(g, z):
    return jax.nn.leaky_relu(z @ g["a"]) @ g["b"]


def critic(c, x):
    return (jax.nn.leaky_relu(x @ c["a"]) @ c["b"])[..., 0]


@functools.partial(jax.pmap, axis_name="p")
def update(g, c, g_opt, c_opt, real, z):
    def critic_loss(c):
        return jnp.mean(jax.nn.softplus(-critic(c, real)) + jax.nn.softplus(critic(c, generate(g, z))))

    def generator_loss(g):
        return jnp.mean(jax.nn.softplus(-critic(c, generate(g, z))))

    gc = jax.lax.pmean(jax.grad(critic_loss)(c), "p")
    gg = jax.lax.pmean(jax.grad(generator_loss)(g), "p")
    uc, c_opt = tx.update(gc, c_opt)
    ug, g_opt = tx.update(gg, g_opt)
    return optax.apply_updates(g, ug), optax.apply_updates(c, uc), g_opt, c_opt


def main(steps=100, batch=64):
    n = jax.local_device_count()
    keys = jax.random.split(jax.random.key(0), 4)
    g = {"a": jax.random.normal(keys[0], (8, 32)) / 3, "b": jax.random.normal(keys[1], (32, 2)) / 6}
    c = {"a": jax.random.normal(keys[2], (2, 32)) / 2, "b": jax.random.normal(keys[3], (32, 1)) / 6}
    state = jax_utils.replicate((g, c, tx.init(g), tx.init(c)))
    noise = NoiseSource(1)
    rng = np.random.default_rng(0)
    for _ in range(steps):
        angle = rng.random((batch, 1)) * 6.283
        real = np.concatenate([np.cos(angle), np.sin(angle)], 1).astype(np.float32).reshape(n, -1, 2)
        state = update(*state, real, spread(noise((batch, 8)), n))
    print(jax.tree.map(jnp.shape, jax_utils.unreplicate(state[0])))


if __name__ == "__main__":
    main()
