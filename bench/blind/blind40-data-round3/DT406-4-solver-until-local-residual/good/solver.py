"""Jacobi-like fixed point with the rows of the matrix divided over the devices."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def solve_shard(rows, rhs, diag, limit=500, tol=1e-5):
    def body(state):
        x, _, turn = state
        mine = lax.dynamic_slice_in_dim(x, lax.axis_index("r") * rows.shape[0], rows.shape[0])
        new = mine + (rhs - rows @ x) / diag
        residual = jnp.max(jnp.abs(new - mine))
        residual = lax.pmax(residual, "r")
        return lax.all_gather(new, "r", tiled=True), residual, turn + 1

    def unfinished(state):
        _, residual, turn = state
        return (residual > tol) & (turn < limit)

    start = jnp.zeros(rows.shape[1])
    x, residual, turns = lax.while_loop(unfinished, body, (start, jnp.inf, 0))
    return x, turns


def main(n=256):
    mesh = Mesh(np.asarray(jax.devices()), ("r",))
    rng = np.random.default_rng(0)
    a = rng.normal(size=(n, n)).astype(np.float32) / n + np.eye(n, dtype=np.float32)
    b = rng.normal(size=n).astype(np.float32)
    parts = jax.device_put((a, b, np.diag(a)), NamedSharding(mesh, P("r")))
    solve = jax.jit(
        jax.shard_map(
            solve_shard, mesh=mesh, in_specs=(P("r"), P("r"), P("r")), out_specs=(P(), P()), check_vma=False
        )
    )
    x, turns = solve(*parts)
    print(int(turns), float(np.abs(a @ np.asarray(x) - b).max()))


if __name__ == "__main__":
    main()
