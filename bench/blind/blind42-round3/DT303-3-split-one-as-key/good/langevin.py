"""Langevin sampling of a 2-D density."""
import jax
import jax.numpy as jnp


def log_density(x):
    a = -0.5 * jnp.sum((x - 2.0) ** 2)
    b = -0.5 * jnp.sum((x + 2.0) ** 2)
    return jnp.logaddexp(a, b)


score = jax.vmap(jax.grad(log_density))


@jax.jit
def move(key, x, step):
    return x + step * score(x) + jnp.sqrt(2 * step) * jax.random.normal(key, x.shape)


def chain(key, particles, steps, step=0.05):
    key, start = jax.random.split(key)
    x = 4 * jax.random.normal(start, (particles, 2))
    for _ in range(steps):
        key, noise_key = jax.random.split(key)
        x = move(noise_key, x, step)
    return x


def main():
    x = chain(jax.random.key(0), 512, 300)
    print("mean", x.mean(0), "share right", float((x[:, 0] > 0).mean()))


if __name__ == "__main__":
    main()
