import jax
import jax.numpy as jnp

from mc.walk import chain


def main(chains=8, steps=500, dim=3):
    k_start, k_run = jax.random.split(jax.random.key(11))
    starts = jax.random.normal(k_start, (chains, dim))
    run = jax.jit(jax.vmap(lambda k, x: chain(k, x, steps, 0.8)))
    size = jnp.zeros(())
    for _ in range(3):
        k_run, sub = jax.random.split(k_run)
        xs, rate = run(jax.random.split(sub, chains), starts)
        starts = xs[:, -1]
        size += rate.mean()
    print(float(size / 3), xs.mean((0, 1)))


if __name__ == "__main__":
    main()
