"""Softmax regression with shard_map; axis name and size come from a small config."""
import dataclasses
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec as P


@dataclasses.dataclass(frozen=True)
class MeshConfig:
    axis: str = "dp"
    devices: int = dataclasses.field(default_factory=jax.device_count)

    def build(self):
        return jax.make_mesh((self.devices,), (self.axis,))


def average(tree, axis="data"):
    return jax.tree.map(lambda v: jax.lax.pmean(v, axis), tree)


def cross_entropy(params, x, y):
    logp = jax.nn.log_softmax(x @ params["w"] + params["b"])
    return -jnp.mean(jnp.take_along_axis(logp, y[:, None], axis=1))


def make_update(cfg, mesh, lr):
    rows = P(cfg.axis)

    @jax.jit
    @partial(jax.shard_map, mesh=mesh, in_specs=(P(), rows, rows), out_specs=(P(), P()), check_vma=False)
    def update(params, x, y):
        loss, grads = jax.value_and_grad(cross_entropy)(params, x, y)
        loss, grads = average((loss, grads))
        return jax.tree.map(lambda p, g: p - lr * g, params, grads), loss

    return update


def main(steps=100, n=2048, d=32, k=5):
    cfg = MeshConfig()
    mesh = cfg.build()
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, d)).astype(np.float32)
    y = (x @ rng.normal(size=(d, k))).argmax(1)
    x, y = (jax.device_put(a, NamedSharding(mesh, P(cfg.axis))) for a in (x, y))
    params = {"w": jnp.zeros((d, k)), "b": jnp.zeros(k)}
    params = jax.device_put(params, NamedSharding(mesh, P()))
    update = make_update(cfg, mesh, 0.5)
    for _ in range(steps):
        params, loss = update(params, x, y)
    print("loss", float(loss))


if __name__ == "__main__":
    main()
