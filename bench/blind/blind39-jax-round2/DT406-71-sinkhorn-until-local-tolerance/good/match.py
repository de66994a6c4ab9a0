import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from sinkhorn import potentials


def transport_cost(source, target, *, epsilon, total):
    cost = jnp.sum((source[:, None] - target[None]) ** 2, -1)
    log_a = jnp.full(source.shape[0], -np.log(total), jnp.float32)
    log_b = jnp.full(target.shape[0], -np.log(target.shape[0]), jnp.float32)
    f, g, _ = potentials(cost, log_a, log_b, epsilon, "points")
    plan = jnp.exp((f[:, None] + g[None] - cost) / epsilon)
    return jax.lax.psum(jnp.sum(plan * cost), "points")


def main(points=512, dim=3, epsilon=0.5):
    mesh = Mesh(np.array(jax.devices()), ("points",))
    fn = functools.partial(transport_cost, epsilon=epsilon, total=points)
    solve = jax.jit(jax.shard_map(fn, mesh=mesh, in_specs=(P("points"), P()), out_specs=P(), check_vma=False))
    rng = np.random.default_rng(0)
    source = rng.normal(size=(points, dim)).astype(np.float32)
    target = rng.normal(loc=1.0, size=(points // 2, dim)).astype(np.float32)
    source = jax.device_put(source, NamedSharding(mesh, P("points")))
    target = jax.device_put(target, NamedSharding(mesh, P()))
    print("cost", float(solve(source, target)))


if __name__ == "__main__":
    main()
