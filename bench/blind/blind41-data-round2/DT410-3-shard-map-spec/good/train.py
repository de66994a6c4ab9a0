import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

AXES = ("data",)
BATCH = P("data")


def make_mean(mesh):
    @functools.partial(jax.shard_map, mesh=mesh, in_specs=BATCH, out_specs=P())
    def mean(x):
        return lax.pmean(jnp.mean(x, axis=0), AXES[0])

    return jax.jit(mean)


def main():
    mesh = Mesh(np.asarray(jax.devices()), AXES)
    x = jax.device_put(np.arange(64, dtype=np.float32).reshape(16, 4), NamedSharding(mesh, BATCH))
    print(make_mean(mesh)(x))


if __name__ == "__main__":
    main()
