"""Distributed power iteration; the matrix is sharded by rows."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((jax.device_count(),), ("rows",))


@partial(jax.jit, static_argnames=("limit",))
def leading_vector(a, v, tol, limit=500):
    @partial(
        jax.shard_map, mesh=mesh, in_specs=(P("rows"), P(), P()), out_specs=(P(), P()), check_vma=False
    )
    def run(block, v, tol):
        def unfinished(state):
            _, change, turn = state
            return (change > tol) & (turn < limit)

        def once(state):
            v, _, turn = state
            local = block @ v
            product = block.T @ local
            new = lax.psum(product, "rows")
            new = new / jnp.linalg.norm(new)
            change = jnp.max(jnp.abs(local - block @ new)) / jnp.max(jnp.abs(local))
            return new, change, turn + 1

        v, _, turns = lax.while_loop(unfinished, once, (v, jnp.inf, 0))
        return v, turns

    return run(a, v, tol)


def main(n=512, d=64):
    rng = np.random.default_rng(0)
    a = rng.normal(size=(n, d)).astype(np.float32) @ np.diag(np.linspace(1, 2, d).astype(np.float32))
    a = jax.device_put(a, NamedSharding(mesh, P("rows")))
    v = jax.device_put(jnp.ones(d) / d**0.5, NamedSharding(mesh, P()))
    v, turns = leading_vector(a, v, 1e-4)
    print("turns", int(turns), "value", float(jnp.linalg.norm(a @ v)))


if __name__ == "__main__":
    main()
