import jax
import jax.numpy as jnp
import numpy as np

from diffusion import denoise, sample


def loss_fn(params, x, key):
    t_key, n_key = jax.random.split(key)
    t = jax.random.uniform(t_key, (x.shape[0], 1))
    noise = jax.random.normal(n_key, x.shape)
    return jnp.mean((denoise(params, x + t * noise, t) - noise) ** 2)


@jax.jit
def step(params, x, key):
    grads = jax.grad(loss_fn)(params, x, key)
    return jax.tree.map(lambda p, g: p - 0.05 * g, params, grads)


def main(steps=100):
    k1, k2, key = jax.random.split(jax.random.key(0), 3)
    params = {"w": 0.3 * jax.random.normal(k1, (8, 32)), "v": 0.3 * jax.random.normal(k2, (32, 8))}
    rng = np.random.default_rng(0)
    for _ in range(steps):
        key, sub = jax.random.split(key)
        params = step(params, rng.normal(size=(64, 8)).astype(np.float32), sub)
    key, sub = jax.random.split(key)
    print(np.asarray(sample(params, sub, 16)).std())


if __name__ == "__main__":
    main()
