"""Nested scans with keys as xs, cond inside scan, associative_scan, map over keys."""
import jax
import jax.numpy as jnp


def inner(carry, key):
    x, n = carry
    flip_key, step_key = jax.random.split(key)
    jump = jax.lax.cond(
        jax.random.bernoulli(flip_key, 0.2),
        lambda k: 3.0 * jax.random.normal(k, x.shape),
        lambda k: 0.1 * jax.random.normal(k, x.shape),
        step_key,
    )
    return (x + jump, n + 1), jump


def outer(x, key):
    keys = jax.random.split(key, 10)
    (x, n), jumps = jax.lax.scan(inner, (x, 0), keys)
    return x, (n, jumps.std())


@jax.jit
def simulate(key, x0):
    x, (counts, spread) = jax.lax.scan(outer, x0, jax.random.split(key, 5))
    return x, counts, spread


def bootstrap(key, x, n):
    def one(k):
        idx = jax.random.randint(k, (x.shape[0],), 0, x.shape[0])
        return x[idx].mean()

    return jax.lax.map(one, jax.random.split(key, n))


def main():
    sim_key, boot_key, perm_key = jax.random.split(jax.random.key(8), 3)
    x, counts, spread = simulate(sim_key, jnp.zeros(3))
    ends, _, _ = jax.vmap(simulate, (0, None))(jax.random.split(jax.random.fold_in(sim_key, 1), 64), jnp.zeros(3))
    means = bootstrap(boot_key, ends[:, 0], 100)
    cums = jax.lax.associative_scan(jnp.add, jax.random.permutation(perm_key, ends[:, 1]))
    print(x, counts, spread.mean(), means.std(), cums[-1])


if __name__ == "__main__":
    main()
