from typing import NamedTuple

import jax
import jax.numpy as jnp


class Iterate(NamedTuple):
    x: jax.Array
    residual: jax.Array
    turns: jax.Array


def richardson(rows, rhs, axis, tol=1e-4, limit=200, rate=0.1):
    """Least squares; each device holds some of the equations."""

    def local_gap(x):
        return rows @ x - rhs

    def unfinished(it: Iterate):
        return (it.residual > tol) & (it.turns < limit)

    def turn(it: Iterate):
        gap = local_gap(it.x)
        direction = jax.lax.pmean(rows.T @ gap / rhs.size, axis)
        x = it.x - rate * direction
        return Iterate(x, jax.lax.pmax(jnp.max(jnp.abs(local_gap(x))), axis), it.turns + 1)

    start = Iterate(jnp.zeros(rows.shape[1]), jax.lax.pmax(jnp.max(jnp.abs(rhs)), axis), jnp.zeros((), jnp.int32))
    return jax.lax.while_loop(unfinished, turn, start).x
