"""Parallel tempering in pmap with swaps between neighbours by ppermute; keys per replica; restarts on the host."""
import functools

import jax
import jax.numpy as jnp
import numpy as np

N = jax.local_device_count()


def energy(x):
    return jnp.sum(x**4 - 2 * x**2 + 0.3 * x)


def metropolis(carry, key, beta):
    x = carry
    move_key, accept_key = jax.random.split(key)
    y = x + 0.3 * jax.random.normal(move_key, x.shape)
    take = jnp.log(jax.random.uniform(accept_key)) < -beta * (energy(y) - energy(x))
    return jnp.where(take, y, x), None


@functools.partial(jax.pmap, axis_name="t", in_axes=(0, 0, 0, None))
def sweep(x, key, beta, parity):
    key, run_key = jax.random.split(key)
    x, _ = jax.lax.scan(functools.partial(metropolis, beta=beta), x, jax.random.split(run_key, 10))
    i = jax.lax.axis_index("t")
    right = jax.lax.ppermute(x, "t", [(j, (j - 1) % N) for j in range(N)])
    left = jax.lax.ppermute(x, "t", [(j, (j + 1) % N) for j in range(N)])
    partner_is_right = (i + parity) % 2 == 0
    other = jnp.where(partner_is_right, right, left)
    pair = jnp.where(partner_is_right, i, i - 1)
    betas = jax.lax.all_gather(beta, "t")
    ok = (pair >= 0) & (pair < N - 1)
    j = jnp.where(partner_is_right, i + 1, i - 1) % N
    log_ratio = (betas[j] - beta) * (energy(other) - energy(x))
    swap_key = jax.random.fold_in(jax.random.key(parity), pair)
    swap = ok & (jnp.log(jax.random.uniform(swap_key)) < log_ratio)
    return jnp.where(swap, other, x), key


def main(rounds=20):
    betas = jnp.geomspace(0.2, 4.0, N)
    key = jax.random.key(5)
    best = None
    for restart in range(2):
        key, init_key, run_key = jax.random.split(key, 3)
        x = jax.random.normal(init_key, (N, 3))
        keys = jax.random.split(run_key, N)
        for r in range(rounds):
            x, keys = sweep(x, keys, betas, r % 2)
        e = float(energy(x[-1]))
        best = e if best is None else min(best, e)
    print(np.round(best, 3))


if __name__ == "__main__":
    main()
