"""Distributed conjugate gradients: rows of the matrix over the axis 'rows'."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def solve_local(matrix, rhs, *, axis, tolerance, limit):
    dot = lambda a, b: lax.psum(jnp.vdot(a, b), axis)

    def multiply(v):
        return matrix @ lax.all_gather(v, axis, tiled=True)

    def more(state):
        _, _, _, rr, turn = state
        return (rr > tolerance**2) & (turn < limit)

    def turn_once(state):
        x, r, p, rr, turn = state
        q = multiply(p)
        alpha = rr / dot(p, q)
        x, r = x + alpha * p, r - alpha * q
        r = lax.cond(turn % 20 == 19, lambda: rhs - multiply(x), lambda: r)
        new = dot(r, r)
        return x, r, r + (new / rr) * p, new, turn + 1

    x = jnp.zeros_like(rhs)
    state = lax.while_loop(more, turn_once, (x, rhs, rhs, dot(rhs, rhs), 0))
    return state[0], jnp.sqrt(state[3])


def main(n=256):
    mesh = Mesh(np.array(jax.devices()), ("rows",))
    rng = np.random.default_rng(0)
    half = rng.normal(size=(n, n)).astype(np.float32) / n**0.5
    matrix = half @ half.T + np.eye(n, dtype=np.float32)
    rhs = rng.normal(size=n).astype(np.float32)
    rows = NamedSharding(mesh, P("rows"))
    solve = jax.jit(
        jax.shard_map(
            functools.partial(solve_local, axis="rows", tolerance=1e-4, limit=200),
            mesh=mesh, in_specs=(P("rows"), P("rows")), out_specs=(P("rows"), P()), check_vma=False,
        )
    )
    x, residual = solve(jax.device_put(matrix, rows), jax.device_put(rhs, rows))
    print(float(residual), float(np.abs(matrix @ np.asarray(x) - rhs).max()))


if __name__ == "__main__":
    main()
