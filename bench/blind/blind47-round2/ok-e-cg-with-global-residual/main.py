from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


def conjugate_gradient(rows, rhs, axis, iterations=50, tol=1e-6):
    def normal(x):
        return jax.lax.psum(rows.T @ (rows @ x), axis)

    b = jax.lax.psum(rows.T @ rhs, axis)

    def going(carry):
        _, r, _, k = carry
        return jnp.logical_and(jnp.vdot(r, r) > tol, k < iterations)

    def body(carry):
        x, r, p, k = carry
        q = normal(p)
        alpha = jnp.vdot(r, r) / jnp.vdot(p, q)
        x, s = x + alpha * p, r - alpha * q
        return x, s, s + (jnp.vdot(s, s) / jnp.vdot(r, r)) * p, k + 1

    return jax.lax.while_loop(going, body, (jnp.zeros_like(b), b, b, 0))[0]


if __name__ == "__main__":
    n = jax.local_device_count()
    rows = np.random.default_rng(0).normal(size=(n, 16, 3)).astype("f4")
    print(jax.pmap(partial(conjugate_gradient, axis="p"), axis_name="p")(rows, rows @ np.ones(3, "f4"))[0])
