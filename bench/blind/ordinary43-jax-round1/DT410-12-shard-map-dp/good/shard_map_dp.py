"""Data parallel with shard_map on an explicit mesh."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))


def predict(params, x):
    for w, b in params[:-1]:
        x = jax.nn.relu(x @ w + b)
    w, b = params[-1]
    return x @ w + b


def init_layer(key, n_in, n_out):
    k1, k2 = jax.random.split(key)
    return jax.random.normal(k1, (n_in, n_out)) / np.sqrt(n_in), jax.random.normal(k2, (n_out,)) * 0.01


def init(key, sizes):
    keys = jax.random.split(key, len(sizes) - 1)
    return [init_layer(k, i, o) for k, i, o in zip(keys, sizes[:-1], sizes[1:])]


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P())
def loss_dp(params, batch):
    x, y = batch
    local = jnp.mean((predict(params, x) - y) ** 2)
    return jax.lax.pmean(local, "data")


@jax.jit
def step(params, batch):
    loss, grads = jax.value_and_grad(loss_dp)(params, batch)
    return jax.tree.map(lambda p, g: p - 1e-2 * g, params, grads), loss


def main():
    key = jax.random.key(0)
    init_key, x_key, noise_key = jax.random.split(key, 3)
    params = init(init_key, [8, 32, 1])
    x = jax.random.normal(x_key, (64 * jax.device_count(), 8))
    y = x.sum(1, keepdims=True) + 0.1 * jax.random.normal(noise_key, (x.shape[0], 1))
    batch = jax.device_put((x, y), NamedSharding(mesh, P("data")))
    params = jax.device_put(params, NamedSharding(mesh, P()))
    for i in range(20):
        params, loss = step(params, batch)
    print("loss", float(loss))


main()
