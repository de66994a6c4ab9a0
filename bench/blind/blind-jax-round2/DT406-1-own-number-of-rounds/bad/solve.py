import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from rounds import fit_shard


def padded_shards(sizes, dim, seed):
    """Shards of different sizes, padded to the largest."""
    rng = np.random.default_rng(seed)
    rows = max(sizes)
    x = np.zeros((len(sizes), rows, dim), np.float32)
    valid = np.zeros((len(sizes), rows), bool)
    for shard, size in enumerate(sizes):
        x[shard, :size] = rng.normal(size=(size, dim))
        valid[shard, :size] = True
    return x.reshape(-1, dim), (x.sum(-1)).reshape(-1), valid.reshape(-1)


def main(dim=5, sweeps=20):
    mesh = Mesh(np.asarray(jax.devices()), ("shards",))
    sizes = [4 + 3 * i for i in range(mesh.size)]
    rows = NamedSharding(mesh, P("shards"))
    x, y, valid = jax.device_put(padded_shards(sizes, dim, 0), rows)
    fit = jax.jit(
        jax.shard_map(
            functools.partial(fit_shard, axis="shards"),
            mesh=mesh,
            in_specs=(P(), P("shards"), P("shards"), P("shards")),
            out_specs=P(),
            check_vma=False,
        )
    )
    weights = jnp.zeros((dim,))
    for _ in range(sweeps):
        weights = fit(weights, x, y, valid)
    print("weights", np.asarray(weights))


if __name__ == "__main__":
    main()
