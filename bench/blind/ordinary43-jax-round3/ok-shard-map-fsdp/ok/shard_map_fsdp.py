"""ZeRO-3 by hand in shard_map: all_gather parameters, psum_scatter gradients, check_vma off."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("fsdp",))
N = mesh.shape["fsdp"]


def gather(w):
    return jax.lax.all_gather(w, "fsdp", axis=0, tiled=True)


def loss_fn(full, x, y):
    h = jax.nn.relu(x @ full["a"])
    return jnp.mean((h @ full["b"] - y) ** 2)


@partial(jax.shard_map, mesh=mesh, in_specs=(P("fsdp"), P("fsdp"), P("fsdp"), P("fsdp")), out_specs=(P("fsdp"), P("fsdp"), P()), check_vma=False)
def train_step(shards, moments, x, y):
    full = jax.tree.map(gather, shards)
    loss, grads = jax.value_and_grad(loss_fn)(full, x, y)
    grads = jax.tree.map(lambda g: jax.lax.psum_scatter(g, "fsdp", scatter_dimension=0, tiled=True) / N, grads)
    moments = jax.tree.map(lambda m, g: 0.9 * m + g, moments, grads)
    shards = jax.tree.map(lambda p, m: p - 0.05 * m, shards, moments)
    return shards, moments, jax.lax.pmean(loss, "fsdp")


def main():
    a_key, b_key, x_key = jax.random.split(jax.random.key(0), 3)
    params = {"a": jax.random.normal(a_key, (4 * N, 16)) * 0.3, "b": jax.random.normal(b_key, (16, 1)) * 0.3}
    sharding = NamedSharding(mesh, P("fsdp"))
    shards = jax.device_put(params, sharding)
    moments = jax.tree.map(jnp.zeros_like, shards)
    step = jax.jit(train_step, donate_argnums=(0, 1))
    x = jax.device_put(jax.random.normal(x_key, (16 * N, 4 * N)), sharding)
    for _ in range(20):
        shards, moments, loss = step(shards, moments, x, x.mean(1, keepdims=True))
    print(float(loss))


if __name__ == "__main__":
    main()
