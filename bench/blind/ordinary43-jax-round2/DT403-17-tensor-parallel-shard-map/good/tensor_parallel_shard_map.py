"""Megatron MLP with shard_map: column then row parallel, one psum; data axis averaged."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

devices = np.array(jax.devices()).reshape(-1, 2) if jax.device_count() % 2 == 0 else np.array(jax.devices()).reshape(-1, 1)
mesh = Mesh(devices, ("dp", "tp"))
PARAM_SPECS = {"up": P(None, "tp"), "down": P("tp", None)}


def mlp(params, x):
    h = jax.nn.gelu(x @ params["up"])
    return jax.lax.psum(h @ params["down"], "tp")


@functools.partial(jax.shard_map, mesh=mesh, in_specs=(PARAM_SPECS, P("dp"), P("dp")), out_specs=(P(), PARAM_SPECS))
def loss_and_grads(params, x, y):
    def loss_fn(params):
        local = jnp.mean((mlp(params, x) - y) ** 2)
        return jax.lax.pmean(local, "dp")

    return jax.value_and_grad(loss_fn)(params)


@jax.jit
def step(params, x, y):
    loss, grads = loss_and_grads(params, x, y)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), loss


def main():
    k1, k2, kx = jax.random.split(jax.random.key(0), 3)
    params = {"up": jax.random.normal(k1, (8, 32)) * 0.3, "down": jax.random.normal(k2, (32, 8)) * 0.1}
    params = jax.tree.map(lambda p, s: jax.device_put(p, NamedSharding(mesh, s)), params, PARAM_SPECS)
    x = jax.random.normal(kx, (16 * mesh.shape["dp"], 8))
    x = jax.device_put(x, NamedSharding(mesh, P("dp")))
    for _ in range(10):
        params, loss = step(params, x, jnp.roll(x, 1, axis=1))
    print(float(loss))


if __name__ == "__main__":
    main()
