import dataclasses
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import NamedSharding, PartitionSpec as P

import axes


@dataclasses.dataclass(frozen=True)
class MeshConfig:
    names: tuple = ("data", "tensor")
    tensor: int = 2

    def build(self):
        return jax.make_mesh((jax.device_count() // self.tensor, self.tensor), self.names)


def make_loss(mesh):
    specs = ({"up": axes.columns(), "down": axes.rows()}, axes.activations(None))

    @partial(jax.shard_map, mesh=mesh, in_specs=specs, out_specs=P())
    def loss(params, x):
        out = lax.psum(jax.nn.relu(x @ params["up"]) @ params["down"], axes.TENSOR)
        return lax.pmean(jnp.mean((out - x) ** 2), "data")

    return loss


def main(steps=10):
    mesh = MeshConfig().build()
    k1, k2 = jax.random.split(jax.random.key(2))
    params = {
        "up": jax.device_put(jax.random.normal(k1, (8, 32)) * 0.2, NamedSharding(mesh, axes.columns())),
        "down": jax.device_put(jax.random.normal(k2, (32, 8)) * 0.2, NamedSharding(mesh, axes.rows())),
    }
    loss_fn = make_loss(mesh)

    @jax.jit
    def step(params, x):
        loss, grads = jax.value_and_grad(loss_fn)(params, x)
        return jax.tree.map(lambda p, g: p - 0.05 * g, params, grads), loss

    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(16, 8)).astype(np.float32)
        params, loss = step(params, jax.device_put(x, NamedSharding(mesh, axes.activations(None))))
    print("loss", float(loss))


if __name__ == "__main__":
    main()
