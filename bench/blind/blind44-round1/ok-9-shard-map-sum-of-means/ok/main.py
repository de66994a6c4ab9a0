import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec as P

import layers
import mesh as meshes

RATE = 0.1


def make_loss(mesh):
    def local(params, x, y, key):
        key = jax.random.fold_in(key, jax.lax.axis_index("replica"))
        h = layers.dropout(key, x, RATE)
        pred = layers.column_then_row(h, params["in"], params["out"])
        return jax.lax.pmean(jnp.mean((pred - y) ** 2), "replica")

    specs = {"in": P(None, "model"), "out": P("model", None)}
    return jax.shard_map(local, mesh=mesh, in_specs=(specs, P("replica"), P("replica"), P()), out_specs=P())


def main(steps=20):
    mesh = meshes.build()
    loss = make_loss(mesh)
    k_in, k_out, k_drop = jax.random.split(jax.random.key(1), 3)
    params = {"in": jax.random.normal(k_in, (6, 16)) / 3, "out": jax.random.normal(k_out, (16, 6)) / 4}
    step = jax.jit(lambda p, x, y, k: jax.tree.map(lambda a, g: a - 0.05 * g, p, jax.grad(loss)(p, x, y, k)))
    rng = np.random.default_rng(0)
    for i in range(steps):
        x = rng.normal(size=(32, 6)).astype(np.float32)
        x = jax.device_put(x, meshes.batch_sharding(mesh))
        params = step(params, x, x * 2, jax.random.fold_in(k_drop, i))
    print(float(loss(params, x, x * 2, k_drop)))


if __name__ == "__main__":
    main()
