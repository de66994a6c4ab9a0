import functools

import jax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
import numpy as np

import core


def main(chains_per_device=4, rounds=5):
    mesh = Mesh(np.array(jax.devices()), ("chain",))
    keys = jax.random.split(jax.random.key(7), chains_per_device * mesh.size)
    chains = jax.vmap(functools.partial(core.start, dim=3))(keys)
    chains = jax.device_put(chains, NamedSharding(mesh, P("chain")))
    run = jax.jit(jax.vmap(lambda c: core.sweep(c, 0.3, 50)))
    for _ in range(rounds):
        chains = run(chains)
    print("accepted", chains.accepted.sum())


if __name__ == "__main__":
    main()
